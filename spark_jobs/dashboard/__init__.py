"""The dashboards: panels, a server that answers them on this machine, and the day as one file."""
