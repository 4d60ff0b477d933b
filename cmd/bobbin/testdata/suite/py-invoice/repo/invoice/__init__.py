"""Computes invoices."""

from .document import Invoice, Line
from .text import format_invoice

__all__ = ["Invoice", "Line", "format_invoice"]
