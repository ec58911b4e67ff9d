"""Jobs: what reads, transforms and writes, with a session that is given to them."""
