import unittest
from decimal import Decimal

from invoice import Invoice, format_invoice


class Totals(unittest.TestCase):
    def test_one_line(self):
        invoice = Invoice(1, "Ann").add("mug", "2", "10.00", "19")
        self.assertEqual((invoice.net, invoice.gross), (Decimal("20.00"), Decimal("23.80")))

    def test_rates_are_apart(self):
        invoice = Invoice(1, "Ann").add("mug", "1", "10.00", "19").add("book", "1", "10.00", "7")
        self.assertEqual(invoice.taxes(), {Decimal(7): Decimal("0.70"), Decimal(19): Decimal("1.90")})

    def test_discount(self):
        self.assertEqual(Invoice(1, "Ann").add("mug", "1", "10.00", "19", "15").net, Decimal("8.50"))

    def test_nothing(self):
        self.assertEqual(Invoice(1, "Ann").gross, Decimal("0.00"))

    def test_text(self):
        text = format_invoice(Invoice(7, "Ann").add("mug", "2", "10.00", "19"))
        self.assertIn("Invoice 7 for Ann", text)
        self.assertTrue(text.endswith("23.80\n"))


if __name__ == "__main__":
    unittest.main()
