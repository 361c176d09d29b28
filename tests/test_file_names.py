"""No file name occurs twice with two meanings: files of the same name are listed here, with their one subject."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import driftline

ROOT = Path(driftline.__file__).parent

SUBJECTS = {
    "alarms": ("service service/views", "alarms of the live service: kept, and as they are shown"),
    "bursts": (
        "analysis/findings cli figures report/sections",
        "words that burst: the finding, command, figure and section",
    ),
    "contract": ("compute engines inference", "the contract of its layer: kernels, engines, inference"),
    "crf": ("compute/cpu sequences", "conditional random fields: the loops and the estimator"),
    "cycles": ("analysis/findings report/sections", "yearly and weekly cycles: the finding and its section"),
    "desk": ("service service/answers", "the labelling desk of the service, and its answers"),
    "differences": (
        "analysis/findings cli figures report/sections",
        "differences between groups: the finding, command, figure and section",
    ),
    "document_completion": (
        "compute/cpu compute/gpu inference",
        "predicting the rest of a document: the loops and the function on top",
    ),
    "drift": ("analysis/findings report/sections", "when the vocabulary changed: the finding and its section"),
    "drift_speed": ("figures local/multinomial", "speed of drift: the estimate and its figure"),
    "effects": ("figures topics/contexts", "effects of variables on topics: the estimate and its figure"),
    "few_labels": ("analysis/findings report/sections", "classification with few labels: the finding and its section"),
    "flow": ("cli figures", "the topics of one long text: command and figure"),
    "franchise": ("compute/cpu nonparametric", "the Chinese restaurant franchise: the loops and the sampler"),
    "guide": ("cli guidance", "a guide: the value, and the command that drafts one"),
    "guided_topics": ("analysis/findings cli report/sections", "topics of a guide: the finding, command and section"),
    "intensity": ("compute/contracts figures", "intensities: kernels of the family, and the figure"),
    "intensity_ep": ("compute/cpu compute/gpu", "expectation propagation: the same loops on two devices"),
    "lda_epochs": ("compute/cpu compute/gpu topics", "LDA in large steps: the loops on two devices and the method"),
    "lda_gibbs": ("compute/cpu topics", "Gibbs sampling for LDA: the loops and the method"),
    "lda_memory": ("compute/cpu compute/gpu", "arrays of the topic models: the same layout on two devices"),
    "lda_online": ("compute/cpu inference", "online LDA: the loops and the method"),
    "lda_sampled": ("compute/cpu compute/gpu", "passes of LDA that sample: the same loops on two devices"),
    "lda_vb": ("compute/cpu topics", "textbook variational LDA: the loops and the method"),
    "leave_one_out": ("compute/cpu local/bandwidths", "leave-one-out likelihoods: the loops and the function on top"),
    "local_contexts": (
        "coding compute/cpu compute/gpu",
        "local contexts of words: the loops on two devices and the function on top",
    ),
    "long_documents": (
        "analysis/findings report/sections",
        "the course of long documents: the finding and its section",
    ),
    "memory": ("compute/cpu compute/gpu", "memory of a device: one file per device"),
    "message_passing": ("compute/cpu inference", "message passing: the loops and the method"),
    "mixture_weights": (
        "compute/cpu local/bandwidths",
        "weights of a mixture: the loops and the mixture of bandwidths",
    ),
    "names": ("analysis/findings report/sections", "names and phrases: the finding and its section"),
    "near_copies": ("compute/cpu streams", "near-copies of one unit: the loops and the function on top"),
    "particles": ("compute/cpu inference", "particle filters: the loops and the method"),
    "passages": ("compute/cpu text", "passages that documents share: the loops and the function on top"),
    "periods": (
        "analysis/findings figures report/sections",
        "what each period was about: the finding, figure and section",
    ),
    "plsa": ("compute/cpu compute/gpu topics", "PLSA: the loops on two devices and the estimator"),
    "read": ("cli readers", "reading a source: the function and the command"),
    "records": ("readers report/sections", "records, read and rejected: the values and the section that counts them"),
    "regimes": ("cli figures sequences", "regimes of a series: the estimator, command and figure"),
    "running_sums": ("compute/cpu smoothing", "kernel-weighted running sums: the loops and the function on top"),
    "segments": ("coding compute/cpu", "segments of a sequence: the loops and the function on top"),
    "sparse_coding": ("compute/cpu compute/gpu", "sparse codes: the same loops on two devices"),
    "story_words": ("compute/cpu nonparametric/stories", "counted words of stories: the loops and the table"),
    "storylines": ("analysis/findings figures report/sections", "storylines: the finding, figure and section"),
    "topic_layout": ("analysis/findings figures topics", "which topics are alike: the computation, finding and figure"),
    "topics": (
        "analysis/findings cli compute/contracts figures report/sections",
        "topics: kernels of the family, the finding, command, figure and section",
    ),
    "truth": ("analysis/findings report/sections", "known changes of a simulated stream: the finding and its section"),
    "turning_points": ("analysis/findings report/sections", "turning points: the finding and its section"),
    "unigrams": ("compute/cpu compute/gpu", "mixture of unigrams: the same loops on two devices"),
    "volume": ("analysis/findings figures report/sections", "documents per day: the finding, figure and section"),
    "word_changes": ("figures monitoring", "words that new documents use differently: the comparison and its figure"),
    "words": ("analysis/findings report/sections", "words that changed: the finding and its section"),
}
"""Folders that have a file of the name, and the subject that all of them are about."""


def folders_of_names(root: Path) -> dict[str, str]:
    """Return the folders of every name that occurs more than once below a folder."""
    folders = defaultdict(list)
    for path in root.rglob("*.py"):
        if path.stem != "__init__":
            folders[path.stem].append(path.parent.relative_to(root).as_posix())
    return {name: " ".join(sorted(found)) for name, found in sorted(folders.items()) if len(found) > 1}


def test_files_of_the_same_name_have_one_subject():
    explained = {name: folders for name, (folders, _) in SUBJECTS.items()}
    found = folders_of_names(ROOT)
    assert found == explained, "rename the file that means something else, or add it to the table with its subject"


def test_a_second_meaning_is_found(tmp_path):
    for name in ("core/labels.py", "report/labels.py", "core/times.py", "core/__init__.py", "report/__init__.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert folders_of_names(tmp_path) == {"labels": "core report"}
