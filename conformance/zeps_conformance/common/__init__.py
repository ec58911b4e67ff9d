"""Cases, verdicts, results, baselines and processes, which the suites of brokers and sockets share."""
