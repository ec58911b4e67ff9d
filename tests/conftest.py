"""Profiles of the property tests: `HYPOTHESIS_PROFILE` is default, ci or soak."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("default", print_blob=True, **_COMMON)
settings.register_profile("ci", print_blob=True, derandomize=True, **_COMMON)
settings.register_profile("soak", print_blob=True, max_examples=20_000, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "default"))
