"""Reports of audits and statistics: as text, as JSON, and as one HTML page that needs nothing else."""
