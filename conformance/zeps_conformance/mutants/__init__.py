"""Generated mutants of an implementation, and the share of them that the cases detect: `zeps-conform mutants`."""
