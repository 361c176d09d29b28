"""What `driftline` exports, for type checkers; `__init__.py` imports the same names on first use."""

from driftline.analysis.analyse import analyse as analyse
from driftline.base.text_model import TextModel as TextModel
from driftline.coding import *
from driftline.datasets import *
from driftline.engines import *
from driftline.evaluation import *
from driftline.evolving import *
from driftline.figures import *
from driftline.graphs import *
from driftline.guidance import *
from driftline.intensity import *
from driftline.labelling.stream_labeller import StreamLabeller as StreamLabeller
from driftline.local import *
from driftline.monitoring import *
from driftline.nonparametric import *
from driftline.persistence import *
from driftline.readers import *
from driftline.report import *
from driftline.sequences import *
from driftline.streams.corpus import Corpus as Corpus
from driftline.streams.stream import Stream as Stream
from driftline.text import *
from driftline.topics import *

__version__: str
