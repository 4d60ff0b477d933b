import unittest
from datetime import datetime

from cron import NeverDue, ParseError, due_between, next_due, parse


def after(expression, text):
    return next_due(parse(expression), datetime.fromisoformat(text)).isoformat(timespec="minutes")


class NextDue(unittest.TestCase):
    def test_the_same_day(self):
        self.assertEqual(after("30 12 * * *", "2026-03-02T08:00"), "2026-03-02T12:30")

    def test_not_the_minute_itself(self):
        self.assertEqual(after("30 12 * * *", "2026-03-02T12:30"), "2026-03-03T12:30")

    def test_steps(self):
        self.assertEqual(after("*/20 * * * *", "2026-03-02T08:41"), "2026-03-02T09:00")

    def test_either_day_field_is_enough(self):
        self.assertEqual(after("0 0 13 * fri", "2026-03-07T00:00"), "2026-03-13T00:00")
        self.assertEqual(after("0 0 13 * fri", "2026-03-13T00:00"), "2026-03-20T00:00")

    def test_next_year(self):
        self.assertEqual(after("0 0 1 1 *", "2026-03-02T08:00"), "2027-01-01T00:00")

    def test_never(self):
        with self.assertRaises(NeverDue):
            after("0 0 30 2 *", "2026-03-02T08:00")

    def test_between(self):
        found = due_between(parse("0 */12 * * *"), datetime(2026, 3, 2), datetime(2026, 3, 3))
        self.assertEqual([d.hour for d in found], [0, 12, 0])


class Parse(unittest.TestCase):
    def test_refuses(self):
        for text in ["* * * *", "60 * * * *", "5-1 * * * *", "*/0 * * * *", "x * * * *", "* * * * 8"]:
            with self.assertRaises(ParseError, msg=text):
                parse(text)


if __name__ == "__main__":
    unittest.main()
