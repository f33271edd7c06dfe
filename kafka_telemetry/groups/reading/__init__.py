"""Who reads each partition of a group, when reading starts, and how the reader before stopped."""
