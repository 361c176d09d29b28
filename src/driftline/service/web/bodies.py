"""Bodies of requests that change the state."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict, Field


class Body(BaseModel):
    """A body; unknown names are refused."""

    model_config = ConfigDict(extra="forbid", strict=True)


class SessionBody(Body):
    """A token to be exchanged for a cookie."""

    token: str = Field(min_length=1, max_length=500)


class RenameBody(Body):
    """The new name of a topic; if it is empty, the topic is named by its words."""

    name: str = Field(max_length=100)


class AlarmBody(Body):
    """Acknowledgement of an alarm, or the number of seconds for which it is muted (0 ends the mute)."""

    acknowledge: bool | None = None
    mute_for: float | None = Field(default=None, ge=0, le=10 * 365 * 86_400)


class LabelBody(Body):
    """The label of a document, None for a skipped one; `undo` withdraws the last label of this person."""

    key: str = Field(max_length=40)
    label: str | None = Field(default=None, max_length=200)
    lease: str | None = Field(default=None, max_length=100)
    undo: bool = False


class RefitBody(Body):
    """An empty body: a refit has no options."""
