"""What a cron expression says: for each of its five fields the values that match."""

from dataclasses import dataclass

NAMES = {
    "month": ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
    "weekday": ["sun", "mon", "tue", "wed", "thu", "fri", "sat"],
}

BOUNDS = {
    "minute": (0, 59),
    "hour": (0, 23),
    "day": (1, 31),
    "month": (1, 12),
    "weekday": (0, 6),
}


class ParseError(ValueError):
    """An expression that means nothing."""


@dataclass(frozen=True)
class Expression:
    """The values that match, by field."""

    minute: frozenset
    hour: frozenset
    day: frozenset
    month: frozenset
    weekday: frozenset
    any_day: bool
    any_weekday: bool

    def matches_day(self, date):
        """Whether the expression is due at some time of that date."""
        if date.month not in self.month:
            return False
        by_day = date.day in self.day
        by_weekday = date.isoweekday() % 7 in self.weekday
        if self.any_day and self.any_weekday:
            return True
        if self.any_day:
            return by_weekday
        if self.any_weekday:
            return by_day
        return by_day or by_weekday


def parse(text):
    """Reads an expression; ParseError says what is wrong with it."""
    parts = text.split()
    if len(parts) != 5:
        raise ParseError(f"five fields are expected, not {len(parts)}")
    fields = {name: _field(name, part) for name, part in zip(BOUNDS, parts)}
    return Expression(any_day=parts[2] == "*", any_weekday=parts[4] == "*", **fields)


def _field(name, text):
    values = set()
    for item in text.split(","):
        values.update(_item(name, item))
    return frozenset(values)


def _item(name, text):
    low, high = BOUNDS[name]
    span, slash, step = text.partition("/")
    if slash and (not step.isdigit() or int(step) == 0):
        raise ParseError(f"{name}: {step!r} is no step")
    if span != "*":
        first, dash, last = span.partition("-")
        low = _number(name, first)
        if dash:
            high = _number(name, last)
        elif not slash:
            high = low
    if low > high:
        raise ParseError(f"{name}: {span} goes backwards")
    return range(low, high + 1, int(step or 1))


def _number(name, text):
    low, high = BOUNDS[name]
    names = NAMES.get(name, [])
    if text.lower() in names:
        return names.index(text.lower()) + low
    if not text.isdigit():
        raise ParseError(f"{name}: {text!r} is no number")
    if not low <= int(text) <= high:
        raise ParseError(f"{name}: {text} is not between {low} and {high}")
    return int(text)
