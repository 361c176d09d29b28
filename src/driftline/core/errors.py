"""The errors of driftline: what happened, where, and what to do."""

from __future__ import annotations


class DriftlineError(Exception):
    """Base class of driftline's errors; the command line exits with 1 on it."""


class InvalidInput(DriftlineError, ValueError):
    """The data cannot be used as given; the message says where it is wrong and what to do."""


class UnorderedTimes(InvalidInput):
    """A document is older than one that was already returned."""

    def __init__(self, index: int, lag: str) -> None:
        self.index = index
        self.lag = lag
        super().__init__(
            f"document {index} is {lag} older than one before it; "
            f"sort the stream or pass reorder_within='{lag.replace(' ', '')}' or more"
        )


class AmbiguousInput(InvalidInput):
    """Two readings are possible (columns, time units, day and month); the message says how to choose."""


class NoWords(InvalidInput):
    """There is no word to count: the documents are empty, all stop words, or all outside the limits."""


class BadRecord(InvalidInput):
    """One record of a source cannot be used. Raised only with ``on_error="raise"``; otherwise counted."""

    def __init__(self, source: str, place: str, reason: str) -> None:
        self.source = source
        self.place = place
        self.reason = reason
        super().__init__(f"{source}, {place}: {reason}; repair the record, or read with on_error='report' to skip it")


class SourceNotFound(DriftlineError, FileNotFoundError):
    """The source to read does not exist, or nothing readable is in it."""


class MissingDependency(DriftlineError, ImportError):
    """A feature needs an optional package that is not installed; the message names the extra."""

    def __init__(self, feature: str, package: str, extra: str) -> None:
        super().__init__(f"{feature} needs the package {package}; install it with: pip install 'driftline[{extra}]'")


class DeviceUnavailable(DriftlineError, RuntimeError):
    """A device cannot be used: no driver, no device, wrong versions, too little memory, or it was lost."""


class ModelFileError(DriftlineError, ValueError):
    """A saved model is damaged, truncated, foreign, or made by a newer version."""


class NotWritten(DriftlineError, OSError):
    """A file or folder could not be written: no space, no permission, a limit. The previous content is unchanged."""

    def __init__(self, target: object, cause: OSError) -> None:
        reason = cause.strerror or str(cause)
        super().__init__(
            f"cannot write {target} ({reason}); the previous content is unchanged: free space or grant "
            f"permission, or write elsewhere"
        )
        self.errno = cause.errno


class TimesAssumedWarning(UserWarning):
    """No times were given where the result depends on them; the order of the documents was used."""


class OutsideSupportWarning(UserWarning):
    """A requested time has no data within the bandwidth; the background model was used instead."""
