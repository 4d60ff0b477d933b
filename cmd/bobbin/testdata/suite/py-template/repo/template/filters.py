"""What can be done to a value before it is printed."""

import html


def _text(value):
    return "" if value is None else str(value)


FILTERS = {
    "upper": lambda value: _text(value).upper(),
    "lower": lambda value: _text(value).lower(),
    "trim": lambda value: _text(value).strip(),
    "escape": lambda value: html.escape(_text(value)),
    "join": lambda value: ", ".join(_text(item) for item in value or []),
}
