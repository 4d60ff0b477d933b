import unittest
from decimal import Decimal as D

from invoice import Invoice, format_invoice
from invoice.money import cents, percent


class Rounding(unittest.TestCase):
    def test_half_up(self):
        for amount, want in {"0.125": "0.13", "0.135": "0.14", "0.124": "0.12", "-0.125": "-0.13", "2.665": "2.67"}.items():
            self.assertEqual(cents(amount), D(want), amount)
        self.assertEqual(percent("0.50", "25"), D("0.13"))

    def test_discounts_too(self):
        self.assertEqual(Invoice(1, "Ann").add("mug", "1", "9.99", "19", "15").net, D("8.49"))
        self.assertEqual(Invoice(1, "Ann").add("mug", "1", "0.50", "19", "25").net, D("0.38"))
        self.assertEqual(Invoice(1, "Ann").add("mug", "1", "2.50", "19", "5").net, D("2.38"))


class Taxes(unittest.TestCase):
    def test_881(self):
        invoice = Invoice(881, "Ann").add("a", "3", "1.15", "19").add("b", "1", "2.25", "19")
        self.assertEqual(invoice.net, D("5.70"))
        self.assertEqual(invoice.taxes(), {D(19): D("1.08")})
        self.assertEqual(invoice.gross, D("6.78"))

    def test_many_small_lines(self):
        invoice = Invoice(1, "Ann")
        for _ in range(10):
            invoice.add("screw", "1", "0.02", "19")
        self.assertEqual(invoice.taxes(), {D(19): D("0.04")})
        self.assertEqual(invoice.gross, D("0.24"))
        self.assertTrue(format_invoice(invoice).endswith("0.24\n"))

    def test_the_total_is_what_is_printed_above_it(self):
        invoice = Invoice(1, "Ann").add("a", "1", "0.13", "19").add("b", "3", "0.33", "7").add("c", "1", "0.55", "19").add("d", "1", "1.11", "7")
        self.assertEqual(invoice.gross, invoice.net + sum(invoice.taxes().values()))


class CreditNotes(unittest.TestCase):
    def test_the_mirror(self):
        invoice = Invoice(1, "Ann").add("a", "3", "1.15", "19", "7.5").add("b", "1", "2.25", "7", "33").add("c", "0.125", "1.00", "19")
        note = invoice.credit_note(2)
        self.assertEqual(note.net, -invoice.net)
        self.assertEqual(note.gross, -invoice.gross)
        self.assertEqual(note.taxes(), {rate: -tax for rate, tax in invoice.taxes().items()})
