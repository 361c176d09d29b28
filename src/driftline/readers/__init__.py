"""Documents in: from files, folders, frames and pipes to a `Stream`; `driftline.read` chooses the reader."""

from driftline.readers.read import read

__all__ = ["read"]
