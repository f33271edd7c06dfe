"""What happened to a group on a day: the lines of logs and the records of the offsets topic, told as one."""
