"""Templates become text."""

import html

from .filters import FILTERS
from .parse import Condition, Loop, TemplateError, Text


def render_nodes(nodes, scope):
    """The text of some nodes."""
    return "".join(_render(node, scope) for node in nodes)


def _render(node, scope):
    if isinstance(node, Text):
        return node.text
    if isinstance(node, Loop):
        return "".join(render_nodes(node.body, scope.bind(node.name, item)) for item in scope.lookup(node.path) or [])
    if isinstance(node, Condition):
        return render_nodes(node.body if scope.lookup(node.path) else node.otherwise, scope)
    return _render_value(node, scope)


def _render_value(node, scope):
    value = scope.lookup(node.path)
    for name in node.filters:
        if name == "raw":
            continue
        if name not in FILTERS:
            raise TemplateError(f"there is no filter {name!r}")
        value = FILTERS[name](value)
    text = "" if value is None else str(value)
    if "raw" in node.filters:
        return text
    if node.filters[:1] == ["escape"]:
        return text
    return html.escape(text)
