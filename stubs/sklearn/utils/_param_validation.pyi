from collections.abc import Iterable
from typing import Any

class Interval:
    def __init__(self, type: type, left: Any, right: Any, *, closed: str) -> None: ...

class StrOptions:
    def __init__(self, options: set[str], *, deprecated: set[str] | None = None) -> None: ...

class HasMethods:
    def __init__(self, methods: str | Iterable[str]) -> None: ...
