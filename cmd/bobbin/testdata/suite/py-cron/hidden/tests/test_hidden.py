import unittest
from datetime import datetime

from cron import ParseError, due_between, next_due, parse


def after(expression, text):
    return next_due(parse(expression), datetime.fromisoformat(text)).isoformat(timespec="minutes")


class EndOfMonth(unittest.TestCase):
    def test_the_31st(self):
        self.assertEqual(after("30 23 31 * *", "2026-03-01T00:00"), "2026-03-31T23:30")
        self.assertEqual(after("30 23 31 * *", "2026-03-31T23:30"), "2026-05-31T23:30")

    def test_a_leap_day(self):
        self.assertEqual(after("0 0 29 2 *", "2026-03-01T00:00"), "2028-02-29T00:00")

    def test_every_day_of_a_year(self):
        found = due_between(parse("0 9 * * *"), datetime(2026, 1, 1), datetime(2026, 12, 31, 23))
        self.assertEqual(len(found), 365)


class Sunday(unittest.TestCase):
    def test_seven_is_sunday(self):
        self.assertEqual(after("0 6 * * 7", "2026-03-02T00:00"), "2026-03-08T06:00")
        self.assertEqual(parse("0 6 * * 7").weekday, parse("0 6 * * 0").weekday)

    def test_a_range_to_sunday(self):
        self.assertEqual(parse("0 6 * * 5-7").weekday, frozenset({5, 6, 0}))

    def test_all_days_of_the_week(self):
        self.assertEqual(parse("0 6 * * */2").weekday, frozenset({0, 2, 4, 6}))
        self.assertEqual(parse("0 6 * * *").weekday, frozenset(range(7)))

    def test_eight_is_no_day(self):
        with self.assertRaises(ParseError):
            parse("0 6 * * 8")
