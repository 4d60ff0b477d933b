import io
import os
import tempfile
import unittest

from stock import NotEnough, Stock, UnknownArticle
from stock.cli import main


class StockTest(unittest.TestCase):
    def test_add_and_remove(self):
        stock = Stock()
        stock.add("mug", 3)
        stock.remove("mug", 2)
        self.assertEqual(stock.available("mug"), 1)
        with self.assertRaises(NotEnough):
            stock.remove("mug", 2)
        with self.assertRaises(UnknownArticle):
            stock.available("cup")
        for quantity in (0, -1, 1.5):
            with self.assertRaises(ValueError):
                stock.add("mug", quantity)

    def test_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "stock.json")
            self.assertEqual(main([name, "add", "mug", "5"]), 0)
            self.assertEqual(main([name, "remove", "mug", "2"]), 0)
            self.assertEqual(main([name, "remove", "mug", "4"]), 1)
            out = io.StringIO()
            self.assertEqual(main([name, "list"], out), 0)
            self.assertEqual(out.getvalue(), "mug 3\n")


if __name__ == "__main__":
    unittest.main()
