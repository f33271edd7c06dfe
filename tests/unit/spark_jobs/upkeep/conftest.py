from support.store_fixture import object_store, store_access

__all__ = ["object_store", "store_access"]
