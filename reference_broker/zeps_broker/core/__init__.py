"""The sans-IO broker: what to do with a batch of frames, and nothing about where frames come from or go."""
