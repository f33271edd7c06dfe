"""The layers of a lake, in the order in which data flows, with what judges it last."""

LAYERS = ("bronze", "silver", "gold", "quality")
