"""Language-independent plans of codecs and machines: layouts, and the same operations for every language."""
