import io
import tracemalloc

import pytest

from driftline import read
from driftline.core.errors import InvalidInput
from driftline.readers.byte_stream import ByteStream
from driftline.readers.feed import read_feed
from driftline.readers.records import Columns, Limits

RSS = """<?xml version="1.0"?>
<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:content="urn:c">
<channel><title>News</title><link>https://example.org</link><description>about</description>
<item><title>War &amp; peace</title><description>short</description>
<content:encoded><![CDATA[<p>It <b>began</b>.</p>]]></content:encoded>
<pubDate>Thu, 20 Mar 2003 03:34:00 +0100</pubDate><guid>1</guid><dc:creator>Ann</dc:creator>
<category>war</category><category>iraq</category></item>
<item><title>Peace</title><dc:date>2003-03-21T00:00:00Z</dc:date><link>https://example.org/2</link><author>bob@example.org</author></item>
<item><title>never</title></item>
</channel></rss>"""
ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>News</title><id>x</id><updated>2020-01-01T00:00:00Z</updated>
<author><name>Of the feed</name></author>
<entry><title type="html">War &lt;i&gt;begins&lt;/i&gt;</title><id>1</id><updated>2003-03-22T00:00:00Z</updated>
<published>2003-03-20T03:34:00+01:00</published><author><name>Ann</name><uri>https://example.org</uri></author>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>one</p><p>two</p></div></content>
<category term="war"/></entry>
<entry><title>Peace</title><id>2</id><updated>2003-03-21T00:00:00Z</updated><summary>short</summary></entry></feed>"""
RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>News</title></channel>
<item><title>War</title><dc:date>2003-03-20</dc:date></item></rdf:RDF>"""


def read_text(folder, text, name="a.xml", encoding="utf-8", **options):
    (folder / name).write_bytes(text.encode(encoding) if isinstance(text, str) else text)
    stream = read(folder / name, **options)
    return list(stream), dict(stream.rejections.reasons)


def test_rss(tmp_path):
    documents, reasons = read_text(tmp_path, RSS, label="category")
    assert [(d.id, d.time.isoformat(), d.text, d.author, d.label) for d in documents] == [
        ("1", "2003-03-20T02:34:00+00:00", "War & peace\nIt began.", "Ann", "war|iraq"),
        ("https://example.org/2", "2003-03-21T00:00:00+00:00", "Peace", "bob@example.org", None),
    ]
    assert reasons == {"no time": 1}


def test_atom(tmp_path):
    documents, reasons = read_text(tmp_path, ATOM, label="category")
    assert [(d.id, d.time.isoformat(), d.text, d.author, d.label) for d in documents] == [
        ("1", "2003-03-20T02:34:00+00:00", "War begins\none\ntwo", "Ann", "war"),
        ("2", "2003-03-21T00:00:00+00:00", "Peace\nshort", None, None),
    ]
    assert not reasons


def test_rdf_and_what_the_feed_is_called(tmp_path):
    (document,), _ = read_text(tmp_path, RDF, label="feed")
    assert (document.text, document.label) == ("War", "News")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16", "utf-8-sig", "cp1252", "shift-jis"])
def test_encodings_are_as_declared_or_marked(encoding, tmp_path):
    word = "日本" if encoding == "shift-jis" else "café"
    text = RSS.replace('"1.0"?', f'"1.0" encoding="{encoding.removesuffix("-sig")}"?').replace("War", word)
    documents, _ = read_text(tmp_path, text, encoding=encoding)
    assert documents[0].text.startswith(word)


def test_a_wrong_encoding_gets_a_suggestion(tmp_path):
    data = RSS.replace("Peace", "Café crème").encode("latin-1")
    (tmp_path / "a.rss").write_bytes(data)
    stream = read(tmp_path / "a.rss")
    list(stream)
    assert "it looks like encoding='cp1252'" in stream.rejections.examples[-1].reason
    assert len(read_text(tmp_path, data, encoding=None, **{"name": "b.rss"})[0]) in (0, 1)
    assert len(list(read(tmp_path / "a.rss", encoding="cp1252"))) == 2


@pytest.mark.parametrize(
    "evil",
    [
        '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>',
        '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE x [<!ENTITY % a SYSTEM "http://example.org/x.dtd"> %a;]>',
        "<!DOCTYPE x [<!ATTLIST rss version CDATA '1'>]>",
    ],
)
def test_entities_and_definitions_are_refused(evil, tmp_path):
    text = RSS.replace("?>\n<rss", f"?>\n{evil}\n<rss").replace("Peace", "&a;")
    documents, reasons = read_text(tmp_path, text)
    assert (documents, reasons) == ([], {"broken XML": 1})


def test_a_bare_document_type_is_passed_over(tmp_path):
    netscape = '<!DOCTYPE rss PUBLIC "-//Netscape//DTD RSS 0.91//EN" "http://example.org/rss-0.91.dtd">'
    documents, _ = read_text(tmp_path, RSS.replace("?>\n<rss", f"?>{netscape}<rss"))
    assert len(documents) == 2


def test_broken_xml_keeps_what_comes_before(tmp_path):
    documents, reasons = read_text(tmp_path, RSS[: RSS.index("<title>Peace")])
    assert (len(documents), reasons) == (1, {"broken XML": 1})
    deep = RSS.replace("<title>Peace", "<x>" * 300 + "<title>Peace")
    documents, reasons = read_text(tmp_path, deep)
    assert (len(documents), reasons) == (1, {"broken XML": 1})


def test_xml_that_is_no_feed_is_an_error(tmp_path):
    with pytest.raises(InvalidInput, match=r"a\.xml is XML, but neither RSS nor Atom: its first element is 'svg'"):
        read_text(tmp_path, "<svg><item/></svg>", format="feed")


def test_an_item_that_is_too_long_is_passed_over_and_not_held():
    def data():
        yield b"<rss><channel><item><title>"
        for _ in range(200):
            yield b"x" * 2**18
        yield b"</title></item><item><title>short</title></item></channel></rss>"

    class Pieces(io.RawIOBase):
        def __init__(self):
            self.pieces = data()

        def read(self, size=-1):
            return next(self.pieces, b"")

    file = Pieces()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    found = list(read_feed(ByteStream(file, "x"), Columns("time", ("title",)), Limits(max_record_bytes=2**20)))
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert [value for some in found for value in some.values.get("title", [])] == ["short"]
    assert [unusable.reason[:8] for some in found for unusable in some.unusable] == ["too long"]
    assert peak < 20 * 2**20  # of 50 MiB


def test_a_picture_with_its_credits_is_not_the_body(tmp_path):
    media = "<media:content url='a.jpg'><media:credit>Photograph: Ann</media:credit></media:content>"
    data = RSS.replace("<rss", "<rss xmlns:media='http://search.yahoo.com/mrss/'", 1)
    data = data.replace("</item>", media + "</item>").replace("<item>", "<item>" + media)
    plain, _ = read_text(tmp_path, RSS)
    with_media, _ = read_text(tmp_path, data)
    assert [d.text for d in with_media] == [d.text for d in plain]
