"""Writes another version of a package into the requirements files of this folder that fix its version."""
import glob, os, re, sys

name, version = os.environ["NAME"], os.environ["VERSION"]


def plain(text):
    return re.sub(r"[-_.]+", "-", text).lower()


done = False
for file in sorted(glob.glob("*requirements*.txt") + glob.glob("requirements/*.txt")):
    with open(file, encoding="utf-8", newline="") as f:
        lines = f.read().splitlines(keepends=True)
    changed = False
    for i, line in enumerate(lines):
        m = re.match(r"^(\s*([A-Za-z0-9][A-Za-z0-9._-]*)(?:\[[^\]]*\])?\s*==\s*)([^\s;\\#]+)(.*)$", line, re.S)
        if not m or plain(m.group(2)) != plain(name):
            continue
        if "--hash" in line or line.rstrip().endswith("\\"):
            sys.exit(file + " has hashes; pip-compile writes them, from a requirements.in")
        lines[i] = m.group(1) + version + m.group(4)
        changed = done = True
    if changed:
        with open(file, "w", encoding="utf-8", newline="") as f:
            f.write("".join(lines))
if not done:
    sys.exit("no requirements file of this folder fixes the version of " + name)
