"""Durability profile: which confirmed messages a broker loses by power cuts, damaged files, kills and full disks."""
