"""Templates are a list of nodes: text, values, loops and conditions."""

import re
from dataclasses import dataclass, field

TAG = re.compile(r"\{\{(.*?)\}\}|\{%(.*?)%\}", re.S)


class TemplateError(ValueError):
    """A template that means nothing."""


@dataclass
class Text:
    text: str


@dataclass
class Value:
    path: str
    filters: list


@dataclass
class Loop:
    name: str
    path: str
    body: list = field(default_factory=list)


@dataclass
class Condition:
    path: str
    body: list = field(default_factory=list)
    otherwise: list = field(default_factory=list)


def parse(text):
    """The nodes of a template."""
    top = []
    bodies = [top]
    open_tags = []
    at = 0
    for tag in TAG.finditer(text):
        if tag.start() > at:
            bodies[-1].append(Text(text[at : tag.start()]))
        at = tag.end()
        if tag.group(1) is not None:
            bodies[-1].append(_value(tag.group(1)))
            continue
        words = tag.group(2).split()
        if words[:1] == ["end"] and open_tags:
            open_tags.pop()
            bodies.pop()
        elif words == ["else"] and open_tags and isinstance(open_tags[-1], Condition):
            bodies[-1] = open_tags[-1].otherwise
        elif len(words) == 4 and words[0] == "for" and words[2] == "in":
            _open(Loop(words[1], words[3]), bodies, open_tags)
        elif len(words) == 2 and words[0] == "if":
            _open(Condition(words[1]), bodies, open_tags)
        else:
            raise TemplateError(f"nobody knows {tag.group(0)!r}")
    if open_tags:
        raise TemplateError("an end is missing")
    if at < len(text):
        top.append(Text(text[at:]))
    return top


def _open(node, bodies, open_tags):
    bodies[-1].append(node)
    open_tags.append(node)
    bodies.append(node.body)


def _value(text):
    path, *filters = [part.strip() for part in text.split("|")]
    if not path:
        raise TemplateError("a value has no name")
    return Value(path, filters)
