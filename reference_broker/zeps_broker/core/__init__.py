"""The sans-IO broker: processes batches of frames, and does not know where frames come from or go."""
