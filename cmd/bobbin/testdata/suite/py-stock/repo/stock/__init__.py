"""Keeps how much there is of each article."""

from .store import NotEnough, Stock, UnknownArticle

__all__ = ["NotEnough", "Stock", "UnknownArticle"]
