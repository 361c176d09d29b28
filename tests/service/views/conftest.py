import json
from typing import NamedTuple

import numpy as np
import pytest

from driftline.service.views.read_connections import Readers
from tests.service.running import story_lines, take, writing


class Filled(NamedTuple):
    """A store with two thousand stories, its readers, and the stories themselves."""

    readers: Readers
    writer: object
    times: np.ndarray
    texts: list


@pytest.fixture(scope="package")
def filled(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("views") / "store")
    lines = story_lines(2000)
    with writing(folder) as writer:
        take(writer, lines[:1200], batch=300, source="first")
        writer.save()
        take(writer, lines[1200:], batch=200, source="second")  # these aggregates are in memory only
        readers = Readers(folder, writer, n=2)
        found = [json.loads(line) for line in lines]
        times = np.array([each["time"].rstrip("Z") for each in found], dtype="datetime64[us]").astype(np.int64)
        yield Filled(readers, writer, times, [each["text"] for each in found])
        readers.close()
