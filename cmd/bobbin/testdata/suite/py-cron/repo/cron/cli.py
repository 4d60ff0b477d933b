"""python3 -m cron.cli EXPRESSION [AFTER]: prints when the expression is due next."""

import sys
from datetime import datetime

from . import NeverDue, ParseError, next_due, parse


def main(arguments):
    if len(arguments) not in (1, 2):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        after = datetime.fromisoformat(arguments[1]) if len(arguments) == 2 else datetime.now()
        print(next_due(parse(arguments[0]), after).isoformat(timespec="minutes"))
    except (ParseError, NeverDue) as problem:
        print(f"cron: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
