"""How well did it do: bands that cover, discoveries that are true."""

from driftline.evaluation.coverage import band_coverage
from driftline.evaluation.discoveries import Discoveries, compare_discoveries

__all__ = ["Discoveries", "band_coverage", "compare_discoveries"]
