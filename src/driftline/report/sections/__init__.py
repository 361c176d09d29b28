"""The sections of the report, in their order on the page.

A new section is one template in ``report/templates`` and one small file here that defines a `Section`.
"""

import sys

from driftline.core.registration import registered
from driftline.report.sections.section import Content, Drawn, Section

SECTIONS: tuple[Section, ...] = tuple(
    sorted(registered(sys.modules[__name__], Section), key=lambda section: (section.position, section.name))
)
"""All sections; a section without content is left out."""

__all__ = ["SECTIONS", "Content", "Drawn", "Section"]
