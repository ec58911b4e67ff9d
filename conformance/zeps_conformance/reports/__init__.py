"""Reports, made from the result model (``common/results.py``), and the page of learned machines."""
