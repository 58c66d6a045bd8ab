# SPDX-License-Identifier: Apache-2.0
"""Elements of HTML, and how the page writes numbers (web/page/text.js and parts.js, which a test compares with)."""
from __future__ import annotations

import decimal
import html
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Union

from ._library import plain_text

NOT_KNOWN = "not known"


class Markup(str):
    """Text that is HTML already."""


Child = Union[None, str, Markup, Iterable["Child"]]


def element(tag: str, attributes: Mapping[str, str | None] | None = None, *children: Child) -> Markup:
    """An element. Texts are escaped; None is left out, also of attributes; lists are taken in."""
    told = "".join(f' {name}="{html.escape(value)}"' for name, value in (attributes or {}).items() if value is not None)
    return Markup(f"<{tag}{told}>{joined(children)}</{tag}>")


def joined(child: Child) -> Markup:
    """Elements and texts one after the other."""
    if child is None:
        return Markup("")
    if isinstance(child, str):
        return child if isinstance(child, Markup) else Markup(html.escape(child))
    return Markup("".join(map(joined, child)))


def sentence(text: str) -> list[Child]:
    """Sentences of a report have names in `backticks`."""
    pieces = text.split("`")
    return [element("code", None, plain_text(piece)) if at % 2 and at + 1 < len(pieces)
            else ("`" if at % 2 else "") + plain_text(piece) for at, piece in enumerate(pieces)]


def command_line(command: str) -> Markup:
    """A command, whose lines break between words, not after the hyphen of an option."""
    return element("span", {"class": "command"}, element("code", None, [
        element("span", {"class": "nowrap"}, plain_text(word)) if word.startswith("-") and len(word) < 40
        else plain_text(word) for word in re.split("( )", command)]))


def shell_word(text: str) -> str:
    """A word of the shell, in quotes where it needs them."""
    return text if re.fullmatch(r"[A-Za-z0-9_@%+=:,./-]+", text) else "'" + text.replace("'", "'\\''") + "'"


def unknown_mark() -> Markup:
    """For what is not known, where words would be too many."""
    return element("span", {"class": "muted", "title": NOT_KNOWN},
                   element("span", {"aria-hidden": "true"}, "\u2013"),
                   element("span", {"class": "offscreen"}, NOT_KNOWN))


def share_bar(share: float | None) -> Markup:
    """A bar of a share; beside it stands the number."""
    return element("span", {"class": "bar", "aria-hidden": "true"},
                   element("span", {"style": f"width: {str(100 * (share or 0)).removesuffix('.0')}%"}))


# ---- numbers ------------------------------------------------------------------------------------------------------

TIMES = ((1.0, 995.0, "ms"), (1e3, 99.5, "s"), (60e3, 99.5, "min"), (3600e3, 48.0, "h"), (86400e3, math.inf, "days"))
BYTES = ("B", "kB", "MB", "GB", "TB")
AMOUNTS = ("", " k", " M", " G", " T")


def fixed(value: float, digits: int) -> str:
    """Rounded half up, as JavaScript does."""
    return str(decimal.Decimal(value).quantize(decimal.Decimal(1).scaleb(-digits), decimal.ROUND_HALF_UP))


def precise(value: float, digits: int) -> str:
    """So many digits that count, without zeros at the end."""
    rounded = decimal.Context(digits, decimal.ROUND_HALF_UP).create_decimal(decimal.Decimal(value))
    return format(rounded.normalize(), "f")


def short_number(value: float) -> str:
    """As the tool prints times: "806", "14.4", "9.11"; small ones to two digits: "0.0031"."""
    if value >= 99.95:
        return str(math.floor(value + 0.5))
    if value >= 9.995:
        return fixed(value, 1)
    if value >= 0.0995 or value == 0:
        return fixed(value, 2 if value else 0)
    return precise(value, 2)


def milliseconds(value: float | None) -> str:
    """ "1.7 ms"."""
    return NOT_KNOWN if value is None else f"{short_number(value)} ms"


def milliseconds_range(found: Sequence[float | None]) -> str:
    """ "1.7 ms (0.8 to 21)"."""
    low, typical, high = found
    if low is None or typical is None or high is None:
        return NOT_KNOWN
    return f"{milliseconds(typical)} ({short_number(low)} to {short_number(high)})"


def _time_unit(ms: float) -> tuple[float, str]:
    return next((one, word) for one, below, word in TIMES if ms / one < below)


def _rough(value: float, digits: int = 2) -> str:
    scale = 10 if digits == 1 else 1
    if value < 0.995 / scale:
        return fixed(value, 2)
    if value < 9.95 / scale:
        return fixed(value, 1)
    step = 1
    while value / step >= 99.5 / scale:
        step *= 10
    return str(math.floor(value / step + 0.5) * step)


def estimate(found: Sequence[float | None]) -> str:
    """As the tool's text estimates it: "~5.0 ms (3.2-7.7)", "~3.0 ms (0.4 to 20 ms)"."""
    low, typical, high = found
    if low is None or typical is None or high is None:
        return NOT_KNOWN
    if typical < 0.005:
        return "under 0.01 ms"
    one, word = _time_unit(typical)
    text = f"~{_rough(typical / one)} {word}"
    if high <= low:
        return text
    if high <= 10 * low and low >= 0.005:
        return f"{text} ({_rough(low / one)}-{_rough(high / one)})"
    low_one, low_word = _time_unit(low)
    high_one, high_word = _time_unit(high)
    first = _rough(low / low_one, 1) + ("" if low_word == high_word else f" {low_word}")
    return f"{text} ({first} to {_rough(high / high_one, 1)} {high_word})"


def estimate_of(found: Sequence[float | None] | None) -> str:
    """ "~5.0 ms" of the same, without its range."""
    return NOT_KNOWN if found is None else estimate((found[1], found[1], found[1]))


def bounds_of(found: Sequence[float | None] | None) -> str | None:
    """ "8 of 10 runs: 3.2-7.7 ms", rounded as it is; None where it is not known."""
    text = NOT_KNOWN if found is None else estimate(found)
    _typical, bracket, bounds = text.partition(" (")
    if not bracket or found is None or found[1] is None:
        return None
    bounds = bounds[:-1]
    return f"8 of 10 runs: {bounds}" + ("" if bounds[-1].isalpha() else f" {_time_unit(found[1])[1]}")


def bytes_text(value: float) -> str:
    """ "268 MB"."""
    unit = 0
    while value >= 1000 and unit + 1 < len(BYTES):
        value, unit = value / 1000, unit + 1
    return f"{fixed(value, 1) if unit and value < 99.95 else math.floor(value + 0.5)} {BYTES[unit]}"


def share_text(value: float | None) -> str:
    """ "98.8 %"; what is not all is never 100 %, and what is something never 0 %."""
    if value is None:
        return NOT_KNOWN
    if value in (0, 1):
        return f"{100 * int(value)} %"
    return f"{fixed(min(99.9, max(0.1, math.floor(value * 1000 + 0.5) / 10)), 1)} %"


def whole(value: int) -> str:
    """ "20,000"."""
    return f"{value:,}"


def count(value: int, noun: str) -> str:
    """ "2 nodes"."""
    return f"{whole(value)} {noun}{'' if value == 1 else 's'}"


def count_of(value: int, every: int, noun: str) -> str:
    """ "2 of 531 nodes"."""
    return f"{whole(value)} of {count(every, noun)}"


def amount(value: float) -> str:
    """ "118 M"."""
    unit = 0
    while value >= 1000 and unit + 1 < len(AMOUNTS):
        value, unit = value / 1000, unit + 1
    return precise(value, 3 if unit else 6) + AMOUNTS[unit]
