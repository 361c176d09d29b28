"""The parts of the memory of a running service, asked from within its process: used by `benchmarks.service.memory`."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import re
import sys
import tempfile
import time
import types
from pathlib import Path
from typing import Any

import apsw
import numpy as np

from benchmarks.service.soak import memory_of

MB = 2.0**20
FIELDS = ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks", "uordblks", "fordblks", "keepcost")
LEFT_OUT = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.FrameType)


class Allocated(ctypes.Structure):
    """What mallinfo2(3) returns."""

    _fields_ = [(name, ctypes.c_size_t) for name in FIELDS]


def allocated() -> Allocated:
    """Return the figures of the allocator of this process."""
    ask = ctypes.CDLL(None).mallinfo2
    ask.restype = Allocated
    found: Allocated = ask()
    return found


def free_between_small_objects() -> int:
    """Return the bytes that Python keeps for objects of up to 512 bytes and that no object uses."""
    errors = os.dup(2)
    with tempfile.TemporaryFile() as file:
        os.dup2(file.fileno(), 2)
        sys._debugmallocstats()
        os.dup2(errors, 2)
        os.close(errors)
        file.seek(0)
        report = file.read().decode()
    kinds = r"# bytes in available blocks|\d+ unused pools \* \d+ bytes"
    return sum(int(n.replace(",", "")) for n in re.findall(rf"(?:{kinds})\s*=\s*([\d,]+)", report))


def size_of(roots: list[Any], seen: set[int]) -> int:
    """Return the bytes of all objects that can be reached from some, each counted once."""
    total, waiting = 0, list(roots)
    while waiting:
        each = waiting.pop()
        if id(each) in seen or isinstance(each, LEFT_OUT):
            continue
        seen.add(id(each))
        total += sys.getsizeof(each, 0)
        if isinstance(each, np.ndarray):
            total += each.nbytes if each.base is None and not each.flags.owndata else 0
            waiting.append(each.base)
        else:
            waiting += gc.get_referents(each)
    return total


def parts(service: Any) -> dict[str, float]:
    """Return the parts of the memory of this process, in MB."""
    gc.collect()
    seen = {id(service), id(service.writer), id(service.writer.database), id(service.loop)}
    writer, me = service.writer, os.getpid()
    state = writer.state
    models = size_of([writer.learner], seen)
    other = size_of([writer.keys, state, writer.saving, writer.scores, writer.alarms, service.cache], seen)
    found = {
        "all": memory_of(me),
        "files": memory_of(me, "RssFile"),
        "models": models / MB,
        "writer": other / MB,
        "sqlite": apsw.memory_used() / MB,
        "free": allocated().fordblks / MB,
        "small": free_between_small_objects() / MB,
    }
    found["rest"] = found["all"] - sum(value for name, value in found.items() if name != "all")
    reading = [service.readers.at_once, *service.readers._all]
    caches = [each._connection.status(apsw.SQLITE_DBSTATUS_CACHE_USED)[0] for each in reading]
    found["readers"] = sum(caches) / MB
    return found


def answer_questions(service: Any, folder: str) -> None:
    """Write the parts whenever the file `question` is there, and remove it."""
    question, answer = Path(folder) / "question", Path(folder) / "answer.json"
    while True:
        time.sleep(0.1)
        if question.exists():
            answer.write_text(json.dumps(parts(service)))
            question.unlink()
