"""The sans-IO broker: processes batches of frames, independent of their source and destination."""
