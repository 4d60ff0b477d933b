"""Writes what pip would write of the Python project in this folder, had it installed it: name, version and
entry points. The project's code stays where it is; importlib.metadata, plugins and commands find it by these.

Nothing of the project is run, so a version that only its code or git knows is 0.0.0. An entry of that name that
is there already, for the project may be one of its own requirements, stays.
"""
import ast, configparser, glob, os, re

from manifest import text, toml

target = os.path.join(os.environ["PACKAGES"], "python")
SCRIPTS = {"scripts": "console_scripts", "gui-scripts": "gui_scripts"}


def entries(table):
    """The lines "name = module:function" of a table, without those that are something else."""
    table = table if isinstance(table, dict) else {}
    return {k: v for k, v in table.items() if isinstance(v, str) and re.match(r"[\w.]+(\s*:\s*[\w.]+)?\s*(\[.*\])?$", v)}


def from_pyproject():
    all = toml("pyproject.toml")
    tool = all.get("tool") or {}
    own = all.get("project") or tool.get("poetry") or tool.get("flit", {}).get("metadata") or {}
    points = {SCRIPTS[k]: entries(own.get(k)) for k in SCRIPTS}
    for group, table in (own.get("entry-points") or own.get("plugins") or {}).items():
        points.setdefault(group, {}).update(entries(table))
    needs = own.get("dependencies")
    return own.get("name") or own.get("dist-name"), own.get("version"), points, needs if isinstance(needs, list) else []


def from_setup_cfg():
    c = configparser.RawConfigParser(strict=False)
    try:
        c.read_string(text("setup.cfg"))
    except configparser.Error:
        return None, None, {}, []
    points = {}
    if c.has_section("options.entry_points"):
        for group, lines in c.items("options.entry_points"):
            points[group] = entries(dict(map(str.strip, l.split("=", 1)) for l in lines.splitlines() if "=" in l))
    needs = c.get("options", "install_requires", fallback="").split("\n")
    return c.get("metadata", "name", fallback=None), c.get("metadata", "version", fallback=None), points, needs


def from_setup_py():
    """What the call of setup() writes down as text."""
    try:
        tree = ast.parse(text("setup.py"))
    except (SyntaxError, ValueError):
        return None, None, {}, []
    found = {}
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and getattr(call.func, "id", getattr(call.func, "attr", "")) == "setup":
            for k in call.keywords:
                try:
                    found[k.arg] = ast.literal_eval(k.value)
                except (ValueError, TypeError, SyntaxError):
                    pass
    points = {}
    table = found.get("entry_points")
    for group, lines in (table.items() if isinstance(table, dict) else ()):
        lines = lines.splitlines() if isinstance(lines, str) else lines
        points[group] = entries(dict(map(str.strip, l.split("=", 1)) for l in lines if isinstance(l, str) and "=" in l))
    needs = found.get("install_requires")
    return found.get("name"), found.get("version"), points, needs if isinstance(needs, list) else []


def write(name, version, points, needs):
    plain = re.sub(r"[-_.]+", "_", name)
    if any(f.lower().startswith(plain.lower() + "-") for f in map(os.path.basename, glob.glob(target + "/*.dist-info"))):
        return
    folder = os.path.join(target, "%s-%s.dist-info" % (plain, version))
    os.makedirs(folder)
    lines = ["Metadata-Version: 2.1", "Name: " + name, "Version: " + version]
    lines += ["Requires-Dist: " + n.strip() for n in needs if isinstance(n, str) and n.strip() and "\n" not in n.strip()]
    files = {"METADATA": "\n".join(lines) + "\n", "INSTALLER": "bobbin\n", "RECORD": ""}
    files["entry_points.txt"] = "".join(
        "[%s]\n%s\n" % (group, "".join("%s = %s\n" % e for e in table.items())) for group, table in points.items() if table)
    for file, content in files.items():
        with open(os.path.join(folder, file), "w", encoding="utf-8") as f:
            f.write(content)
    for command, at in points.get("console_scripts", {}).items():
        write_command(command, at)


def write_command(command, at):
    """Writes the program that calls an entry point, unless a package has one of that name."""
    module, _, function = (p.strip() for p in at.split("[")[0].partition(":"))
    file = os.path.join(target, "bin", command)
    if not re.match(r"[\w.-]+$", command) or not function or os.path.lexists(file):
        return
    os.makedirs(os.path.dirname(file), exist_ok=True)
    with open(file, "w", encoding="utf-8") as f:
        f.write("#!/usr/bin/env python3\nimport sys\nimport %s\nsys.exit(%s.%s())\n" % (module, module, function))
    os.chmod(file, 0o755)


found = [read() for read in (from_pyproject, from_setup_cfg, from_setup_py)]
name = next((f[0] for f in found if isinstance(f[0], str)), "")
version = next((f[1] for f in found if isinstance(f[1], str) and re.match(r"[0-9][\w.!+-]*$", f[1])), "0.0.0")
if re.match(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$", name):
    points, needs = next((f[2:] for f in found if f[0] == name), ({}, []))
    for _, _, more, _ in found:
        for group, table in more.items():
            points.setdefault(group, {}).update(table)
    write(name, version, points, needs)
