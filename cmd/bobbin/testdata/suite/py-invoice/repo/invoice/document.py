"""Invoices and their lines."""

from dataclasses import dataclass, field
from decimal import Decimal

from .money import cents, percent


@dataclass
class Line:
    """Something that was sold, with the price of one and the tax rate in percent."""

    text: str
    quantity: Decimal
    price: Decimal
    rate: Decimal
    discount: Decimal = Decimal(0)  # in percent

    @property
    def net(self):
        full = Decimal(self.quantity) * Decimal(self.price)
        return cents(full - int(full * Decimal(self.discount)) / Decimal(100))

    @property
    def tax(self):
        return percent(self.net, self.rate)


@dataclass
class Invoice:
    """Lines for a customer."""

    number: int
    customer: str
    lines: list = field(default_factory=list)

    def add(self, text, quantity, price, rate, discount="0"):
        self.lines.append(Line(text, Decimal(quantity), Decimal(price), Decimal(rate), Decimal(discount)))
        return self

    @property
    def net(self):
        return sum((line.net for line in self.lines), Decimal("0.00"))

    def taxes(self):
        """The tax by rate, the lowest rate first."""
        by_rate = {}
        for line in self.lines:
            by_rate[line.rate] = by_rate.get(line.rate, Decimal("0.00")) + line.tax
        return dict(sorted(by_rate.items()))

    @property
    def gross(self):
        return self.net + sum((line.tax for line in self.lines), Decimal("0.00"))

    def credit_note(self, number):
        """An invoice that takes this one back."""
        note = Invoice(number, self.customer)
        for line in self.lines:
            note.lines.append(Line(line.text, -line.quantity, line.price, line.rate, line.discount))
        return note
