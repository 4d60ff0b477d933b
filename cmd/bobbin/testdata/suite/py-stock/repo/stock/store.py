"""The stock, and the file that it is kept in."""

import json
import os
import time


class UnknownArticle(KeyError):
    """Nobody has added the article."""


class NotEnough(ValueError):
    """There is less of an article than is wanted."""


class Stock:
    """How much there is of each article. clock gives the seconds, as time.time does."""

    def __init__(self, clock=time.time):
        self.clock = clock
        self._articles = {}

    def add(self, article, quantity):
        """More came in."""
        _check(quantity)
        self._articles[article] = self._articles.get(article, 0) + quantity

    def remove(self, article, quantity):
        """Some of it went out."""
        _check(quantity)
        if quantity > self.available(article):
            raise NotEnough(f"there are {self.available(article)} of {article}, not {quantity}")
        self._articles[article] -= quantity

    def available(self, article):
        """How much of an article can be taken."""
        if article not in self._articles:
            raise UnknownArticle(article)
        return self._articles[article]

    def articles(self):
        """The names of all articles, in their order."""
        return sorted(self._articles)

    def save(self, name):
        """Writes the stock to a file."""
        with open(name + ".new", "w", encoding="utf-8") as file:
            json.dump({"articles": self._articles}, file, indent=1, sort_keys=True)
        os.replace(name + ".new", name)

    @classmethod
    def load(cls, name, clock=time.time):
        """Reads the stock from a file."""
        stock = cls(clock)
        with open(name, encoding="utf-8") as file:
            stock._articles = json.load(file)["articles"]
        return stock


def _check(quantity):
    if not isinstance(quantity, int) or quantity <= 0:
        raise ValueError(f"{quantity!r} is no quantity")
