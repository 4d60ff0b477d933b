import io
import json
import os
import tempfile
import unittest

import stock as package
from stock import NotEnough, Stock, UnknownArticle
from stock.cli import main


class Clock:
    def __init__(self):
        self.now = 1_000_000.0

    def __call__(self):
        return self.now


class Reservations(unittest.TestCase):
    def setUp(self):
        self.clock = Clock()
        self.stock = Stock(self.clock)
        self.stock.add("mug", 5)

    def test_reserved_is_not_available(self):
        self.stock.reserve("mug", 2)
        self.assertEqual(self.stock.available("mug"), 3)
        with self.assertRaises(NotEnough):
            self.stock.remove("mug", 4)
        with self.assertRaises(NotEnough):
            self.stock.reserve("mug", 4)
        with self.assertRaises(UnknownArticle):
            self.stock.reserve("cup", 1)
        with self.assertRaises(ValueError):
            self.stock.reserve("mug", 0)

    def test_commit(self):
        reservation = self.stock.reserve("mug", 2)
        self.stock.commit(reservation.id)
        self.assertEqual(self.stock.available("mug"), 3)
        with self.assertRaises(package.UnknownReservation):
            self.stock.commit(reservation.id)
        self.assertEqual(self.stock.available("mug"), 3)

    def test_release(self):
        reservation = self.stock.reserve("mug", 2)
        other = self.stock.reserve("mug", 1)
        self.assertNotEqual(reservation.id, other.id)
        self.stock.release(reservation.id)
        self.stock.release(reservation.id)
        self.assertEqual(self.stock.available("mug"), 4)

    def test_over_by_itself(self):
        reservation = self.stock.reserve("mug", 5, minutes=10)
        self.clock.now += 10 * 60 - 1
        self.assertEqual(self.stock.available("mug"), 0)
        self.clock.now += 1
        self.assertEqual(self.stock.available("mug"), 5)
        with self.assertRaises(package.UnknownReservation):
            self.stock.commit(reservation.id)
        self.stock.release(reservation.id)
        self.assertEqual(self.stock.available("mug"), 5)
        self.stock.remove("mug", 5)

    def test_fifteen_minutes_unless_told(self):
        self.stock.reserve("mug", 1)
        self.clock.now += 14 * 60
        self.assertEqual(self.stock.available("mug"), 4)
        self.clock.now += 60
        self.assertEqual(self.stock.available("mug"), 5)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.name = os.path.join(folder.name, "stock.json")

    def test_reservations_are_kept(self):
        clock = Clock()
        stock = Stock(clock)
        stock.add("mug", 5)
        kept = stock.reserve("mug", 2)
        stock.save(self.name)
        again = Stock.load(self.name, clock)
        self.assertEqual(again.available("mug"), 3)
        other = again.reserve("mug", 1)
        self.assertNotEqual(other.id, kept.id)
        again.commit(kept.id)
        self.assertEqual(again.available("mug"), 2)
        clock.now += 3600
        self.assertEqual(again.available("mug"), 3)

    def test_older_files(self):
        with open(self.name, "w", encoding="utf-8") as file:
            json.dump({"articles": {"mug": 5}}, file)
        self.assertEqual(Stock.load(self.name).available("mug"), 5)

    def test_list(self):
        stock = Stock()
        stock.add("mug", 7)
        stock.add("cup", 1)
        stock.reserve("mug", 2)
        stock.save(self.name)
        out = io.StringIO()
        self.assertEqual(main([self.name, "list"], out), 0)
        self.assertEqual(out.getvalue(), "cup 1\nmug 5 (2 reserved)\n")
