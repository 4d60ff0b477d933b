"""What the names of a template mean."""


class Scope:
    """Names and their values."""

    def __init__(self, values):
        self.values = values

    def lookup(self, path):
        """The value at a path such as order.total; None where there is none."""
        first, *rest = path.split(".")
        value = self.values.get(first)
        for name in rest:
            if isinstance(value, dict):
                value = value.get(name)
            else:
                value = getattr(value, name, None)
        return value

    def bind(self, name, value):
        """Gives a name another value."""
        self.values[name] = value
        return self
