"""Amounts of money are decimals with two places."""

from decimal import Decimal

CENT = Decimal("0.01")


def cents(amount):
    """The amount, rounded to whole cents."""
    return Decimal(amount).quantize(CENT)


def percent(amount, rate):
    """So many percent of an amount, rounded to whole cents."""
    return cents(Decimal(amount) * Decimal(rate) / 100)
