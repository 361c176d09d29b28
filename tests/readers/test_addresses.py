import pytest

import driftline
from driftline.core.errors import InvalidInput
from driftline.readers.addresses import refuse_address


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("https://example.org/data/news.jsonl.gz", "news.jsonl.gz"),
        ("HTTP://example.org", "source"),
        ("http://[::1/news.csv", "source"),
        ("ftp://example.org/;rm -rf", "source"),
        ("https://example.org/a?file=b.csv", "a"),
    ],
)
def test_addresses_are_refused_with_what_to_do(address, name):
    with pytest.raises(InvalidInput, match=rf"reads nothing from the network; save it first, .*curl -L -o {name} ADDR"):
        driftline.read(address)


def test_others_too():
    with pytest.raises(InvalidInput, match="save it first and pass the file"):
        driftline.read("s3://bucket/news.csv")
    with pytest.raises(InvalidInput, match=r"pass its path instead, without file://"):
        driftline.read(["file:///tmp/news.csv"])


@pytest.mark.parametrize("source", ["news.csv", "C:/news.csv", "a:b", "://", "-", "./https://x", "http:/x"])
def test_paths_are_no_addresses(source):
    refuse_address(source)
