import pytest

from driftline.analysis.context import Context, Options
from driftline.analysis.finding import Finding
from driftline.streams.stream import Stream

FEW = [(f"2024-01-{day:02}", "rain again") for day in range(1, 29)]


@pytest.mark.parametrize(
    ("finding", "of_few", "of_enough"),
    [
        (Finding("n", lambda context: len(context.times), empty=int, since=1), 0, 28),
        (Finding("n", lambda context: len(context.times), empty=int, always=True, since=1), 28, 28),
        (Finding("n", lambda context: len(context.times), since=1), 28, 28),
    ],
)
def test_small_streams_have_the_empty_value_unless_the_finding_is_always_there(finding, of_few, of_enough):
    stream = Stream.from_documents(FEW)
    assert finding.value(Context(stream)) == of_few
    assert finding.value(Context(stream, Options(fewest_documents=20))) == of_enough
