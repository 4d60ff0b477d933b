"""Installs what can be had of wanted.txt: pip gives up at the first package that it cannot get, so the
requirements that need that package are taken out, and pip is run again.

Writes the packages that were taken out to lacking.tsv in the folder that is its argument.
"""
import os, re, subprocess, sys

tmp = sys.argv[1]
target = os.path.join(os.environ["PACKAGES"], "python")
options, wanted, lacking = [], [], {}


def plain(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def name_of(line):
    found = re.match(r"[A-Za-z0-9][A-Za-z0-9._-]*", line)
    return plain(found.group()) if found else ""


def read(file, seen):
    """Adds the requirements of a file, and of those that it includes."""
    if file in seen or not os.path.isfile(file):
        return
    seen.add(file)
    with open(file, encoding="utf-8", errors="replace") as f:
        text = re.sub(r"\\\r?\n", " ", f.read())
    for line in text.splitlines():
        line = re.sub(r"(^|\s)#.*$", "", line).strip()
        inner = re.match(r"(-r|--requirement|-c|--constraint)[\s=]*(\S+)$", line)
        if inner:
            other = os.path.join(os.path.dirname(file), inner.group(2))
            if inner.group(1) in ("-r", "--requirement"):
                read(os.path.normpath(other), seen)
            else:
                options.append("-c " + os.path.abspath(other))
        elif line.startswith("-"):
            options.append(line)
        elif line and line not in wanted:
            wanted.append(line)


def install(lines):
    file = os.path.join(tmp, "some.txt")
    with open(file, "w", encoding="utf-8") as f:
        f.write("".join(l + "\n" for l in options + lines))
    run = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--only-binary=:all:", "--target", target, "-r", file,
         "-c", os.path.join(tmp, "exact.txt")],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace")
    return run.returncode == 0, run.stdout


def lack(line, name, why, url=""):
    version = re.search(r"==\s*([A-Za-z0-9.!+_-]+)", line)
    lacking.setdefault(name, (name, version.group(1) if version else "", url, why))


def culprits(out):
    """The requirements that pip's output names as those that need what it could not get."""
    found, names = [], set()
    address = re.search(r"(?:HTTP error \d+ while getting|[45]\d\d [^\n]*for url:) (https?://\S+)", out)
    for m in re.finditer(r"satisfies the requirement ([A-Za-z0-9._-]+)[^\n(]*(?:\(from ([^)\s]+)[^)]*\))?", out):
        names.add(plain(m.group(1)))
        names.update(plain(n) for n in (m.group(2) or "").split("->") if n)
    names.update(plain(n) for n in re.findall(r"No matching distribution found for ([A-Za-z0-9._-]+)", out))
    if address:
        file = re.match(r"([A-Za-z0-9._]+?)-\d", address.group(1).split("/")[-1])
        names.add(plain(file.group(1)) if file else "")
    for line in wanted:
        if name_of(line) in names:
            found.append((line, address.group(1) if address else ""))
    return found


read(os.path.join(tmp, "wanted.txt"), set())
said = ""
for _ in range(40):
    ok, out = install(wanted) if wanted else (True, "")
    if ok:
        break
    said = out
    out_of = culprits(out)
    if not out_of:  # each on its own
        for line in list(wanted):
            if not install([line])[0]:
                wanted.remove(line)
                lack(line, name_of(line), "pip cannot get it")
        break
    why = [l for l in out.splitlines() if l.startswith("ERROR")]
    for line, url in out_of:
        wanted.remove(line)
        lack(line, name_of(line), why[-1][7:] if why else "pip cannot get it", url)
sys.stderr.write(said[-3000:])
with open(os.path.join(tmp, "lacking.tsv"), "w", encoding="utf-8") as f:
    for fields in lacking.values():
        f.write("\t".join(re.sub(r"\s+", " ", v) for v in fields) + "\n")
subprocess.run([sys.executable, os.path.join(tmp, "metadata.py")])
sys.exit(0 if lacking and os.path.isdir(target) and os.listdir(target) else 1)
