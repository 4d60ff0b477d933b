"""Reads files of the Python project in this folder, for requirements.py and metadata.py."""
try:
    import tomllib
except ImportError:
    try:
        from pip._vendor import tomli as tomllib
    except ImportError:
        tomllib = None


def text(name):
    """The text of a file; empty if there is none."""
    try:
        with open(name, encoding="utf-8", errors="replace") as f:
            return f.read()
    except OSError:
        return ""


def toml(name):
    """The tables of a TOML file; empty if it cannot be read."""
    try:
        return tomllib.loads(text(name)) if tomllib else {}
    except ValueError:
        return {}
