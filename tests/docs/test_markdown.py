from __future__ import annotations

import pytest

from tests.docs.markdown import anchors, blocks, code_of, first_sentence, links, prose, title

PAGE = """# Saving a *model*

<!-- a comment -->

A model is a folder. It holds `model.safetensors`; see [the guide](guide/x.md#save) or ![picture](a.png "title").

```python
x = 1
```

- item:

  ```console
  $ driftline read [not](a-link)
  ```

````text
```python
not_run()
```
````

## What's next?
"""


def test_blocks_are_found_with_language_and_line():
    python, console, text = blocks(PAGE)
    assert python == ("python", "x = 1\n", 8)
    assert console.code == "$ driftline read [not](a-link)\n"
    assert (text.language, "not_run" in text.code) == ("text", True)


def test_a_block_without_end_is_an_error():
    with pytest.raises(ValueError, match="line 3"):
        blocks("a\n\n```python\nx\n")


def test_links_are_found_outside_of_code():
    assert links(PAGE) == ["guide/x.md#save", "a.png"]
    assert links("`[a](b)` [c](d)") == ["d"]


def test_headings_titles_and_sentences():
    assert anchors(PAGE) == {"saving-a-model", "whats-next"}
    assert title(PAGE) == "Saving a *model*"
    assert first_sentence(PAGE) == "A model is a folder."
    assert first_sentence("# Only a title\n") == ""


def test_code_is_what_is_shown_as_code():
    code = code_of(PAGE)
    assert "x = 1" in code
    assert "model.safetensors" in code
    assert "folder" not in code
    assert "x = 1" not in prose(PAGE)
