"""Reads what the Python project in this folder needs, without running any of it.

Writes wanted.txt (requirements) and exact.txt (constraints) into the folder that is its
argument, for pip; and fewer.txt, which leaves out what serves the development alone and not the
tests, in case that not all can be had. Lines of requirements files that mean the project itself are taken out:
its code is not here.
"""
import ast, configparser, glob, importlib.util, json, os, re, sys

from manifest import text, toml

TESTS = ("test", "tests", "testing")
WORK = TESTS + ("dev", "develop", "development", "ci", "base")
wanted, exact, extras, words = [], {}, set(), ()


def strings(value):
    if isinstance(value, str):
        return [line.strip() for line in value.splitlines() if line.strip()]
    if isinstance(value, (list, tuple)):
        return [v for v in value if isinstance(v, str)]
    return []


def want(*lists):
    for one in lists:
        for line in strings(one):
            line = re.split(r"(^|\s)#", line)[0].strip()
            if line and not line.startswith("file:") and line not in wanted:
                wanted.append(line)


# Requirements files ------------------------------------------------------------------------

def without_itself(name, seen):
    """Takes out of a requirements file, and of those that it names, what means this project."""
    if name in seen or not os.path.isfile(name):
        return
    seen.add(name)
    lines, changed = [], False
    for line in text(name).splitlines():
        inner = re.match(r"^\s*(?:-r|--requirement|-c|--constraint)[\s=]+(\S+)", line)
        if inner:
            without_itself(os.path.normpath(os.path.join(os.path.dirname(name), inner.group(1))), seen)
        if re.match(r"^\s*(-e|--editable)[\s=]+\.|^\s*\.(/|\[|\s|$)", line):
            named = re.search(r"\[([^\]]*)\]", line)
            extras.update(e.strip() for e in (named.group(1) if named else "").split(","))
            changed = True
            continue
        lines.append(line)
    if changed:
        with open(name, "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")


def requirements_files():
    patterns = ["requirements.txt"]
    for word in words:
        patterns += ["requirements[-_.]%s.txt" % word, "%s[-_]requirements.txt" % word, "requirements/%s.txt" % word]
    files = sorted({f for p in patterns for f in glob.glob(p)})
    seen = set()
    for name in files:
        without_itself(name, seen)
    return files


# Manifests ---------------------------------------------------------------------------------


def by_extra(table):
    for name, value in (table or {}).items():
        if name.strip() in extras:
            yield value


def groups(table, names):
    """Dependency groups, with those that they include."""
    out, todo, seen = [], list(names), set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        for item in table.get(name) or []:
            if isinstance(item, dict) and "include-group" in item:
                todo.append(item["include-group"])
            elif isinstance(item, str):
                out.append(item)
    return out


def poetry_version(version):
    """The constraint of poetry as pip reads it."""
    parts = []
    for part in [p.strip() for p in version.split(",") if p.strip()]:
        number = part.lstrip("^~ ")
        numbers = [int(n) for n in re.findall(r"\d+", number.split("-")[0].split("+")[0])[:3]]
        if part in ("*", ""):
            continue
        if part.startswith("^") and numbers:
            at = next((i for i, n in enumerate(numbers) if n), len(numbers) - 1)
            parts += [">=" + number, "<" + ".".join(str(n) for n in numbers[:at] + [numbers[at] + 1])]
        elif part.startswith("~") and not part.startswith("~=") and numbers:
            at = min(1, len(numbers) - 1)
            parts += [">=" + number, "<" + ".".join(str(n) for n in numbers[:at] + [numbers[at] + 1])]
        elif part[0].isdigit():
            parts.append("==" + part)
        else:
            parts.append(part)
    return ",".join(parts)


def poetry(table):
    for name, value in (table or {}).items():
        if name.lower() == "python":
            continue
        value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, str):
            want([name + poetry_version(value)])
            continue
        if not isinstance(value, dict) or value.get("optional") or "path" in value:
            continue
        named = name + ("[%s]" % ",".join(strings(value.get("extras"))) if value.get("extras") else "")
        marker = " ; " + value["markers"] if value.get("markers") else ""
        if "git" in value:
            at = value.get("rev") or value.get("tag") or value.get("branch")
            want([named + " @ git+" + value["git"] + ("@" + at if at else "") + marker])
        elif "url" in value:
            want([named + " @ " + value["url"] + marker])
        else:
            want([named + poetry_version(str(value.get("version", "*"))) + marker])


def pyproject():
    all = toml("pyproject.toml")
    project, tool = all.get("project") or {}, all.get("tool") or {}
    want(project.get("dependencies"), *by_extra(project.get("optional-dependencies")))
    table = all.get("dependency-groups") or {}
    want(groups(table, [n for n in table if n in extras]))
    want((tool.get("uv") or {}).get("dev-dependencies"))
    for group in by_extra((tool.get("pdm") or {}).get("dev-dependencies")):
        want(group)
    for env in ("default", "test", "hatch-test"):
        envs = ((tool.get("hatch") or {}).get("envs") or {}).get(env) or {}
        want(envs.get("dependencies"), envs.get("extra-dependencies"))
    own = tool.get("poetry") or {}
    poetry(own.get("dependencies"))
    poetry(own.get("dev-dependencies"))
    for name, group in (own.get("group") or {}).items():
        if name in extras:
            poetry(group.get("dependencies"))


def setup_cfg():
    c = configparser.RawConfigParser(strict=False)
    try:
        c.read_string(text("setup.cfg"))
    except configparser.Error:
        return
    if c.has_section("options"):
        want(c.get("options", "install_requires", fallback=""), c.get("options", "tests_require", fallback=""))
    if c.has_section("options.extras_require"):
        want(*by_extra(dict(c.items("options.extras_require"))))


def setup_py():
    """What setup.py writes down; what it computes is not known."""
    try:
        tree = ast.parse(text("setup.py"))
    except (SyntaxError, ValueError):
        return
    known = {}

    def value(node):
        if isinstance(node, ast.Name):
            return known.get(node.id)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
            left, right = value(node.left), value(node.right)
            return left + right if isinstance(left, list) and isinstance(right, list) else left or right
        if isinstance(node, (ast.List, ast.Tuple)):
            return [v for v in map(value, node.elts) if isinstance(v, str)]
        if isinstance(node, ast.Dict):
            return {value(k): value(v) for k, v in zip(node.keys, node.values) if k is not None and isinstance(value(k), str)}
        if isinstance(node, ast.Constant):
            return node.value
        return None

    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            known[node.targets[0].id] = value(node.value)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "setup":
            said = {k.arg: value(k.value) for k in node.keywords}
            want(said.get("install_requires"), said.get("tests_require"))
            if isinstance(said.get("extras_require"), dict):
                want(*by_extra(said["extras_require"]))


def tox():
    c = configparser.RawConfigParser(strict=False)
    try:
        c.read_string(text("tox.ini"))
    except configparser.Error:
        return
    for line in strings(c.get("testenv", "deps", fallback="")):
        line = re.sub(r"^[a-z0-9_.{},!-]+:\s+", "", line)  # for some of its environments
        named = re.match(r"^-r\s*(?:\{toxinidir\}/)?(\S+)$", line)
        if named and os.path.isfile(named.group(1)):
            without_itself(named.group(1), set())
            want(["-r " + os.path.abspath(named.group(1))])
        elif not line.startswith("-") and "{" not in line and not line.startswith("."):
            want([line])


def nox():
    """What the sessions of a noxfile install that run tests, where it is written down."""
    try:
        tree = ast.parse(text("noxfile.py"))
    except (SyntaxError, ValueError):
        return
    for f in tree.body:
        if isinstance(f, ast.FunctionDef) and "test" in f.name:
            for call in ast.walk(f):
                if isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "install":
                    said = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
                    if not any(a.startswith("-") for a in said):
                        want([a for a in said if not a.startswith(".")])


def pipfile():
    all = toml("Pipfile")
    for section in ("packages", "dev-packages"):
        for name, value in (all.get(section) or {}).items():
            if isinstance(value, dict):
                value = value.get("version") if not set(value) & {"path", "git", "file"} else None
            if value is not None:
                want([name + ("" if value == "*" else value)])


# Lock files --------------------------------------------------------------------------------


def fix(name, version):
    name = re.sub(r"[-_.]+", "-", name).lower()
    exact[name] = version if exact.get(name, version) == version else None  # of several, none


def locks():
    for file in ("poetry.lock", "uv.lock", "pdm.lock", "pylock.toml"):
        all = toml(file)
        for p in all.get("package") or all.get("packages") or []:
            source = p.get("source") or {}
            elsewhere = isinstance(source, dict) and (set(source) & {"editable", "virtual", "directory", "path", "git", "url"} - {"url"} or source.get("type") in ("git", "directory", "file", "url"))
            if p.get("name") and p.get("version") and not elsewhere:
                fix(p["name"], p["version"])
    try:
        all = json.loads(text("Pipfile.lock") or "{}")
    except ValueError:
        all = {}
    for section in ("default", "develop"):
        for name, p in (all.get(section) or {}).items():
            if str(p.get("version", "")).startswith("=="):
                fix(name, p["version"][2:])
    for line in text("bobbin-exact.txt").splitlines():  # what was resolved earlier
        name, at, version = line.partition("==")
        if at:
            exact[re.sub(r"[-_.]+", "-", name).lower()] = version.strip()


def collect(some, file):
    """Writes the requirements that files and extras of these names have."""
    global words
    words = some
    wanted.clear()
    extras.clear()
    extras.update(some)
    files = requirements_files()
    texts = [text(f) for f in files]
    if not any("--hash" in t for t in texts):  # else each requirement has to have one
        for read in (pyproject, setup_cfg, setup_py, tox, nox, pipfile):
            read()
        manifests = [text(n) for n in ("pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "noxfile.py", "pytest.ini", "Pipfile")]
        named = any(re.search(r"^pytest\b(?!-)", t, re.M) for t in wanted + texts)
        runs = os.environ.get("BOBBIN_RUNNER") == "pytest" or os.path.isfile("pytest.ini") or any("pytest" in t for t in manifests)
        if runs and not named and not importlib.util.find_spec("pytest"):
            want(["pytest"])  # by which its tests are run, whoever installs it elsewhere
    want(["-r " + os.path.abspath(f) for f in files])
    with open(os.path.join(sys.argv[1], file), "w") as f:
        f.write("".join(w + "\n" for w in wanted))


locks()
with open(os.path.join(sys.argv[1], "exact.txt"), "w") as f:
    f.write("".join("%s==%s\n" % (n, v) for n, v in sorted(exact.items()) if v))
collect(WORK, "wanted.txt")
collect(TESTS, "fewer.txt")
