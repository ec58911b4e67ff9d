"""Random conversations with a broker, judged by an oracle in memory."""
