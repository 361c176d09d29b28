"""How well did it do: scores over time, coverage, false discoveries, calibration."""
