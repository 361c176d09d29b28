"""Bodies of requests that change something."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Body(BaseModel):
    """A body; names that are not known are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class SessionBody(Body):
    """A token to be traded for a cookie."""

    token: str = Field(min_length=1, max_length=500)


class RenameBody(Body):
    """The new name of a topic; empty for its words."""

    name: str = Field(max_length=100)


class AlarmBody(Body):
    """Acknowledge an alarm, or mute it for some seconds (0: no longer)."""

    acknowledge: bool | None = None
    mute_for: float | None = Field(default=None, ge=0, le=10 * 365 * 86_400)


class LabelBody(Body):
    """A label for a document; none for a skipped one; `undo` withdraws the last one of this person."""

    key: str = Field(max_length=40)
    label: str | None = Field(default=None, max_length=200)
    lease: str | None = Field(default=None, max_length=100)
    undo: bool = False


class RefitBody(Body):
    """Nothing: the refit has no options."""
