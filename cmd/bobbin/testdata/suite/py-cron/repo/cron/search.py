"""When an expression is due."""

from datetime import datetime, time, timedelta

# No expression that is ever due is due less often than a leap day on a given weekday.
HORIZON_MONTHS = 12 * 40


class NeverDue(ValueError):
    """An expression that no date matches, such as 30 February."""


def next_due(expression, after):
    """The first minute later than `after` at which the expression is due."""
    start = after.replace(second=0, microsecond=0) + timedelta(minutes=1)
    due = _on_day(expression, start.date(), start.time())
    if due is not None:
        return due
    for date in _days(start.date() + timedelta(days=1)):
        due = _on_day(expression, date, time.min)
        if due is not None:
            return due
    raise NeverDue("the expression is never due")


def _on_day(expression, date, earliest):
    if not expression.matches_day(date):
        return None
    for hour in sorted(expression.hour):
        for minute in sorted(expression.minute):
            if time(hour, minute) >= earliest:
                return datetime.combine(date, time(hour, minute))
    return None


def _days(first):
    """The dates from first on, month by month."""
    date = first
    for _ in range(HORIZON_MONTHS):
        for day in range(date.day, _length(date.year, date.month)):
            yield date.replace(day=day)
        date = _next_month(date)


def _length(year, month):
    """How many days a month has."""
    following = datetime(year + month // 12, month % 12 + 1, 1)
    return (following - timedelta(days=1)).day


def _next_month(date):
    return date.replace(year=date.year + date.month // 12, month=date.month % 12 + 1, day=1)


def due_between(expression, first, last):
    """Every minute from first to last at which the expression is due."""
    found = []
    at = first - timedelta(minutes=1)
    while True:
        try:
            at = next_due(expression, at)
        except NeverDue:
            return found
        if at > last:
            return found
        found.append(at)
