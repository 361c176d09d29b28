"""Input of documents from files, folders, data frames and pipes to a `Stream`; `driftline.read` selects the reader."""

from driftline.readers.read import read

__all__ = ["read"]
