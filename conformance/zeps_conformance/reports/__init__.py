"""Reports, each made from the result model (``results.py``)."""
