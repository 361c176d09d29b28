"""Prior distributions over partitions, weights, trees and features: samplers, exact probabilities, expected sizes."""

from driftline.nonparametric.priors.beta_process import BetaProcess
from driftline.nonparametric.priors.chinese_restaurant import ChineseRestaurant
from driftline.nonparametric.priors.dirichlet_process import DirichletProcess, StickBreaking
from driftline.nonparametric.priors.indian_buffet_process import IndianBuffetProcess
from driftline.nonparametric.priors.nested_restaurant import NestedChineseRestaurant
from driftline.nonparametric.priors.recurrent_restaurant import RecurrentChineseRestaurant

__all__ = [
    "BetaProcess",
    "ChineseRestaurant",
    "DirichletProcess",
    "IndianBuffetProcess",
    "NestedChineseRestaurant",
    "RecurrentChineseRestaurant",
    "StickBreaking",
]
