"""Cron expressions, and when they are due."""

from .expression import Expression, ParseError, parse
from .search import NeverDue, next_due, due_between

__all__ = ["Expression", "ParseError", "parse", "NeverDue", "next_due", "due_between"]
