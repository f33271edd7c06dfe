"""What a group coordinator knows: its records read again in the order of the log, as it reads them when it starts."""
