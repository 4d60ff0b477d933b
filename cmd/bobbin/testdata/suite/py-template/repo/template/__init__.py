"""Small text templates."""

from .parse import TemplateError, parse
from .render import render_nodes
from .scope import Scope


def render(text, values):
    """The template's text with the values in their places."""
    return render_nodes(parse(text), Scope(values))


__all__ = ["render", "TemplateError"]
