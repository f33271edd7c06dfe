"""What a run says when it is done."""
