r"""Lines of mail and commit messages that are not the author's text: quotes, headers, signatures, patches.

Each line is matched by expressions on RE2; decisions that depend on the lines around it (a signature extends to the
end, a patch to the first line that cannot belong to it) are made on the numbers of the lines.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from driftline.core.arrays import Bools, Ints
from driftline.text.left_out import Tally
from driftline.text.text_lines import Lines

QUOTED = r"^[ \t]*(?:[|:][ \t]?)?(?:>|[A-Z][A-Za-z]{0,2}>[ \t])"
_WROTE = (
    "wrote|writes|schrieb|schreibt|a écrit|écrit|escribió|escribe|ha scritto|scrive|escreveu|schreef|"
    "skrev|kirjoitti|napisał|написал|написала|пишет"
)
_WROTE_UNSPACED = "写道|寫道|書きました|님이 작성"
ATTRIBUTION = (
    rf"(?i)(?:^|[ \t>)])(?:{_WROTE})(?: in message)?[ \t]*:[ \t\r]*$|"
    r"^(?:am|den|op) .*[0-9].* (?:schrieb|skrev|schreef) .*:[ \t\r]*$|"
    rf"(?:{_WROTE_UNSPACED})[ \t]*[:：][ \t\r]*$"
)
ATTRIBUTION_BEGINS = r"^(?:On|Am|Le|El|Il|Op|Em|Den|W dniu|In article)\b.*[0-9@]"
HEADER = (
    r"(?i)^[ \t]*(?:from|to|cc|bcc|sent|date|reply-to|message-id|in-reply-to|references|sender|organi[sz]ation|lines|"
    r"nntp-posting-host|posted-date|distribution|keywords|article-i\.d\.|newsgroups|followup-to|return-path|received|"
    r"mime-version|content-[a-z-]+|list-[a-z-]+|delivered-to|importance|user-agent|x-[a-z0-9-]+|von|an|gesendet|datum|"
    r"de|à|para|enviado|envoyé|objet|asunto|inviato|verzonden)[ \t]*:(?:[ \t]|\r?$)"
)
SUBJECT = r"(?i)^[ \t]*(?:subject|betreff|objet|asunto|oggetto|onderwerp)[ \t]*:"
SUBJECT_MARK = r"(?i)^[ \t]*(?:(?:subject|betreff|re|fwd?|aw|wg|sv|antw|tr)(?:\[\d+\])?[ \t]*:[ \t]*)+"
FORWARD = (
    r"(?i)^[ \t>]*-{2,}[ \t]*(?:original message|forwarded (?:by|message)|begin forwarded|ursprüngliche nachricht|"
    r"message d'origine|message transféré|mensaje original|mensaje reenviado|messaggio originale)"
)
SIGNATURE = r"^--[ \t]?\r?$"
ENCODED = r"^[ \t]*(?:[A-Za-z0-9+/]{50,}={0,2}|M[!-`]{50,}|-{3,} ?(?:BEGIN|END) [A-Z ]+-{3,}.*)\r?$"
HUNK = r"^@@ .*@@"
PATCH_FILES = r"^(?:---|\+\+\+) \S"
PATCH_HEAD = (
    r"^(?:diff --git |diff -[a-zA-Z]|index [0-9a-f]{6,}\.\.|Index: \S+$|(?:new|deleted) file mode |"
    r"(?:rename|copy) (?:from|to) |similarity index )"
)
PATCH_BODY = r"^(?:[ +\\-]|$)"
TRAILER = (
    r"(?i)^[ \t]*(?:(?:[a-z]+(?:-[a-z]+)*-by|change-id|git-svn-id|darcs-hash|differential revision|mfc after|cc|"
    r"(?:submitted|reviewed|approved|reported|tested|requested|suggested|obtained|noticed|discussed|acked) "
    r"(?:by|from|with))[ \t]*:|(?:fixes|closes|refs|link|bug|pr|review url|see also)[ \t]*:[ \t]*"
    r"(?:#[0-9]|[0-9, ]+\r?$|[a-z]+/[0-9]|[0-9a-f]{7,40}\b|https?:)|\(cherry picked from commit |"
    r"(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|refs?|see|issue|follow[ -]?up to|backport of|reverts?)"
    r"(?:[ \t]*:)?(?:[ \t,;&]+(?:and[ \t]+)?(?:(?:[\w.-]+/[\w.-]+)?#[0-9]+|gh-[0-9]+|[0-9a-f]{7,40}|https?:[^ \t]+))+"
    r"[ \t.]*\r?$)"
)
MERGE = (
    r"^[ \t]*(?:[*-] )?(?:Merged? (?:pull request(?: #[0-9]+)?(?: (?:from|in) \S+)?|commit from fork|"
    r"(?:remote(?:-tracking)? )?branch(?:es)? (?:['\"].*|\S+(?: (?:of|into) \S+)+)|(?:tag|commit) ['\"].*|"
    r"(?:refs|remotes|origin|upstream)/\S+.*|in \S+ \(pull request #[0-9]+\))|See merge request \S+![0-9]+|"
    r"Automatic merge (?:of|from) .*)[ \t\r]*$"
)
"""Line that git or a git hosting service writes for a merge: the names of branches, not the change itself."""
GREETING = (
    r"(?i)^[ \t]*(?:(?:hi|hello|hey|dear|hallo|hej|moin|liebe[rs]?|sehr geehrte[rs]?|guten (?:tag|morgen)|bonjour|"
    r"salut|cher|chère|hola|buen[oa]s|estimad[oa]s?|ciao|buongiorno|olá|geachte)"
    r"(?:[ \t][^?:]{1,40}[,!]|(?:[ \t][\w.'-]+){0,2}[,!.]?)|"
    r"(?:(?:many )?(?:thanks|thank you|thx)(?: (?:a lot|again|very much|so much|in advance|and regards))?|"
    r"(?:(?:best|kind|kindest|warm|many) )?(?:regards|wishes)|best|cheers|(?:yours )?sincerely|yours truly|"
    r"mit freundlichen grüßen|(?:(?:viele|beste|liebe) )?grüße|gruß|(?:bien )?cordialement|(?:cordiales )?saludos|"
    r"(?:cordiali )?saluti|met vriendelijke groet(?:en)?)[,!.]*)[ \t\r]*$"
)
_RIGHTS = "all rights reserved|alle rechte vorbehalten|tous droits réservés|(?:todos los )?derechos reservados"
_OWNER = "(?:Inc|INC|Ltd|LTD|Limited|LLC|Corp|Corporation|Co|Company|Group|GmbH|plc|PLC|Pty)"
COPYRIGHT = (
    rf"^.{{0,80}}\b(?i:{_RIGHTS})\b.{{0,60}}$|"
    r"^[\W\d]*(?i:copyright|©)(?:\W*(?i:\(c\)|©))?\W*(?:by |of )?(?:19|20)\d\d\b.{0,80}$|"
    r"^[\W\d]*(?i:copyright\W*(?:\(c\)|©)|(?:\(c\)|©)\W*copyright)\W.{0,80}$|"
    rf"^\W*(?i:copyright|©)\W.{{0,60}}\b{_OWNER}\b\W*(?:(?:19|20)\d\d)?\W*$|"
    r"^\W*\([cC]\) ?(?:19|20)\d\d[ ,]+(?:by |\p{Lu}).{0,80}$"
)
"""Expression for a line of at most about 140 characters that claims the rights to a text, but is not a sentence."""
COPYRIGHT_BEGINS = r"(?i)\bcopyright[\W\d]*(?:\(c\)[\W\d]*)?$"
COPYRIGHT_ENDS = rf"^\W*(?:\([cC]\)[\W\d]*)?\p{{Lu}}.{{0,50}}\b{_OWNER}\b\W*$|^\W*{_OWNER}\b(?: {_OWNER}\b)?\W*$"
"""Expressions for the two lines of a claim that has a line break before or within the name of the owner."""
NOTICE_CUES = (
    r"(?i)\b(?:recipients?|addressees?|intended (?:only|solely|exclusively|for)|empfänger|destinataires?|"
    r"destinatari)",
    r"(?i)\b(?:confidential|privileged?|vertraulich|confidentiel|confidencial|riservat)",
    r"(?i)\b(?:dissemination|distribution|disclosure|disclose|copying|reproduction|retransmission|weitergabe|"
    r"vervielfältigung|verbreitung|diffusion|divulgation|divulgación|distribución|divulgazione|diffusione)",
    r"(?i)\b(?:prohibited|unauthori[sz]ed|unlawful|unbefugt|untersagt|nicht gestattet|interdite?|non autorisée?|"
    r"prohibid|no autorizad|vietat)",
    r"(?i)\b(?:(?:in|by) error|par erreur|por error|per errore|irrtümlich|notify|delete|destroy|vernichten|détruire|"
    r"supprimer)",
)
"""Cues of a confidentiality notice: the recipient, secrecy, forwarding, prohibition, delivery by mistake."""
LEAST_CUES = 3
LONGEST_NOTICE = 20
"""Largest number of lines of a notice."""
LONGEST_SIGNATURE = 20
"""Largest number of lines below a line of two dashes for it to begin a signature."""


def drop_lines(texts: pa.LargeStringArray, kinds: frozenset[str], tally: Tally) -> pa.LargeStringArray:
    """Return texts without the lines of the given kinds (names of `driftline.text.left_out.DESCRIPTIONS`)."""
    lines = Lines.of(texts)
    gone = np.zeros(len(lines.text), dtype=np.bool_)
    filled = lines.matching(r"\S")
    for kind, judge in _JUDGES.items():
        if kind not in kinds:
            continue
        dropped = judge(lines) & ~gone
        if dropped.any():
            where = np.flatnonzero(dropped & filled)
            n_documents = len(np.unique(lines.document()[where]))
            tally.add(kind, "line", len(where), n_documents, lines.text.take(pa.array(where[:20])).to_pylist())
            gone |= dropped
    return lines.joined(~gone) if gone.any() else texts


def _quotes(lines: Lines) -> Bools:
    return lines.matching(QUOTED)


def _attributions(lines: Lines) -> Bools:
    """Mark lines that end in "wrote:", and the line before if the attribution began there."""
    end = lines.matching(ATTRIBUTION)
    return end | (lines.matching(ATTRIBUTION_BEGINS) & _neighbour(lines, end, 1))


def _headers(lines: Lines) -> Bools:
    """Mark header lines at the top of a text or in a block of at least two; a lone "To: …" may be a sentence.

    The subject of the mail itself is text; one that follows the headers of another mail below is not.
    """
    header = lines.matching(HEADER)
    first = np.zeros_like(header)
    first[_first_lines(lines)] = True
    subject = lines.matching(SUBJECT)
    block = header & (first | _neighbour(lines, header, 1) | _neighbour(lines, header, -1))
    if not subject.any():
        return block
    filled = lines.matching(r"\S")
    before = _last_before(filled)
    same_text = lines.document()[np.maximum(before, 0)] == lines.document()
    written = np.concatenate([[0], np.cumsum(filled & ~header & ~subject)])
    has_text = written[:-1] > written[lines.offsets[:-1]][lines.document()]
    found: Bools = block | (subject & (before >= 0) & same_text & header[before] & has_text)
    return found


def _notices(lines: Lines) -> Bools:
    """Mark short paragraphs that say who may read a mail: those with cues of three kinds, one of them the recipient."""
    cues = [lines.matching(expression) for expression in NOTICE_CUES]
    if not cues[0].any():
        return cues[0]
    filled = lines.matching(r"\S")
    begins = filled & ~_neighbour(lines, filled, -1)
    paragraph = np.cumsum(begins)
    n = int(paragraph[-1]) + 1
    found = np.array([np.bincount(paragraph[cue & filled], minlength=n) > 0 for cue in cues])
    short = np.bincount(paragraph[filled], minlength=n) <= LONGEST_NOTICE
    notice = found[0] & (found.sum(axis=0) >= LEAST_CUES) & short
    dropped: Bools = filled & notice[paragraph]
    return dropped


def _copyrights(lines: Lines) -> Bools:
    """Mark lines with a claim, and the next line if it contains the name of the owner."""
    claim = lines.matching(COPYRIGHT)
    begins = claim | lines.matching(COPYRIGHT_BEGINS)
    return claim | (lines.matching(COPYRIGHT_ENDS) & _neighbour(lines, begins, -1))


def _signatures(lines: Lines) -> Bools:
    """Mark all lines from the last line of two dashes to the end, unless too many follow it."""
    mark = lines.matching(SIGNATURE)
    return _tails(lines, mark, longest=LONGEST_SIGNATURE)


def _forwards(lines: Lines) -> Bools:
    """Mark all lines from the forwarding marker, if the author wrote something above it; otherwise only the marker."""
    mark = lines.matching(FORWARD)
    if not mark.any():
        return mark
    first = _first_marked(lines, mark)
    own = np.concatenate([[0], np.cumsum(lines.matching(r"[A-Za-z\x{C0}-\x{24F}\x{370}-\x{FFFF}]{2}"))])
    begin = lines.offsets[:-1]
    has_text = (first < lines.offsets[1:]) & (own[np.minimum(first, len(mark))] > own[begin])
    start = np.where(has_text, first, lines.offsets[1:])
    return mark | (np.arange(len(mark)) >= start[lines.document()])


def _encoded(lines: Lines) -> Bools:
    return lines.matching(ENCODED)


def _diffs(lines: Lines) -> Bools:
    """Mark the headers of patches, and below a hunk's header every line that starts like a patch line."""
    files = lines.matching(PATCH_FILES)
    files &= _neighbour(lines, files, 1) | _neighbour(lines, files, -1)
    head, hunk = lines.matching(PATCH_HEAD) | files, lines.matching(HUNK)
    other = ~lines.matching(PATCH_BODY) | hunk | head
    other[_first_lines(lines)] = True
    latest = np.maximum.accumulate(np.where(other, np.arange(len(other)), 0))
    return head | hunk[latest]


def _trailers(lines: Lines) -> Bools:
    return lines.matching(TRAILER)


def _merges(lines: Lines) -> Bools:
    return lines.matching(MERGE)


def _greetings(lines: Lines) -> Bools:
    return lines.matching(GREETING)


_JUDGES = {
    "forwards": _forwards,
    "diffs": _diffs,
    "quotes": _quotes,
    "attributions": _attributions,
    "signatures": _signatures,
    "trailers": _trailers,
    "merges": _merges,
    "headers": _headers,
    "notices": _notices,
    "copyrights": _copyrights,
    "encoded": _encoded,
    "greetings": _greetings,
}


def _first_lines(lines: Lines) -> Ints:
    """Return the numbers of the first lines of texts."""
    return lines.offsets[:-1][np.diff(lines.offsets) > 0]


def _neighbour(lines: Lines, mark: Bools, step: int) -> Bools:
    """Return a mask of the lines that precede (`step` 1) or follow (`step` −1) a marked line of the same text."""
    marked_document = np.where(mark, lines.document(), -1)
    beside = np.full(len(mark), -1, dtype=np.int64)
    if step > 0:
        beside[:-1] = marked_document[1:]
    else:
        beside[1:] = marked_document[:-1]
    found: Bools = beside == lines.document()
    return found


def _last_before(mark: Bools) -> Ints:
    """Return for every line the number of the last marked line before it; −1 if there is none."""
    latest = np.maximum.accumulate(np.where(mark, np.arange(len(mark)), -1))
    found: Ints = np.concatenate([[-1], latest[:-1]])
    return found


def _first_marked(lines: Lines, mark: Bools) -> Ints:
    """Return for every text the number of its first marked line, or that of the next text's first line."""
    where = np.append(np.flatnonzero(mark), len(mark))
    found: Ints = np.minimum(where[np.searchsorted(where, lines.offsets[:-1])], lines.offsets[1:])
    return found


def _tails(lines: Lines, mark: Bools, *, longest: int) -> Bools:
    """Mark the lines from the last marked one of each text to its end, if there are at most `longest`."""
    where = np.append(-1, np.flatnonzero(mark))
    last = where[np.searchsorted(where, lines.offsets[1:]) - 1]
    begins = (last >= lines.offsets[:-1]) & (lines.offsets[1:] - last - 1 <= longest)
    start = np.where(begins, last, lines.offsets[1:])
    return np.arange(len(mark)) >= start[lines.document()]
