"""Reports, each made from the one result model (``results.py``)."""
