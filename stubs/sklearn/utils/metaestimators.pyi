from collections.abc import Callable
from typing import Any, TypeVar

_Function = TypeVar("_Function", bound=Callable[..., Any])

def available_if(check: Callable[[Any], bool]) -> Callable[[_Function], _Function]: ...
