"""Pressing keys, and waiting until a screen is shown."""

from __future__ import annotations

from typing import Any


def press(page: Any, *keys: str) -> None:
    """Press keys one after the other."""
    for key in keys:
        page.keyboard.press(key)


def shown(page: Any, address: str) -> None:
    """Wait until the page shows an address with this prefix."""
    page.wait_for_function(
        "(name) => (document.documentElement.dataset.shown ?? '').startsWith(`#${name}`)", arg=address
    )
