"""What the suites of brokers and of sockets share: cases, verdicts, results, baselines and processes."""
