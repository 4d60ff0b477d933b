"""python3 -m stock.cli FILE list | add ARTICLE QUANTITY | remove ARTICLE QUANTITY"""

import os
import sys

from . import NotEnough, Stock, UnknownArticle


def main(arguments, out=sys.stdout):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    name, command, *rest = arguments
    stock = Stock.load(name) if os.path.exists(name) else Stock()
    try:
        if command == "list" and not rest:
            for article in stock.articles():
                print(article, stock.available(article), file=out)
        elif command == "add" and len(rest) == 2:
            stock.add(rest[0], int(rest[1]))
            stock.save(name)
        elif command == "remove" and len(rest) == 2:
            stock.remove(rest[0], int(rest[1]))
            stock.save(name)
        else:
            print(__doc__, file=sys.stderr)
            return 2
    except UnknownArticle as unknown:
        print(f"stock: there is no {unknown.args[0]}", file=sys.stderr)
        return 1
    except (NotEnough, ValueError) as problem:
        print(f"stock: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
