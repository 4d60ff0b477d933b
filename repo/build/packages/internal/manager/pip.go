package manager

import (
	_ "embed"
	"path"
	"regexp"
	"strings"
)

//go:embed manifest.py
var readManifest string

//go:embed requirements.py
var readRequirements string

//go:embed pip-partial.py
var pipPartial string

//go:embed metadata.py
var pipMetadata string

//go:embed pip.sh
var pipFetch string

// pip also fetches the packages of poetry, uv, pdm and pipenv projects, so none of these tools has to be
// installed. The exact versions of their lock files become constraints, and the packages of their manifests
// become requirements.
var pip = Manager{
	Name: "pip", Kind: "python",
	Locks: regexp.MustCompile(`^(poetry\.lock|uv\.lock|pdm\.lock|pylock\.toml|Pipfile\.lock)$`),
	Manifests: regexp.MustCompile(`^(((dev|tests?)[-_])?requirements([-_.](dev|tests?|ci))?\.txt|` +
		`pyproject\.toml|setup\.(py|cfg)|tox\.ini|noxfile\.py|Pipfile)$`),
	Read:       readPythonManifest,
	ExtraFiles: regexp.MustCompile(`^([a-z_.-]*(requirements|constraints)[a-z_.-]*\.(txt|in)|pytest\.ini)$`),
	Needs: func(file string) bool { // a requirements file may include others
		return path.Base(path.Dir(file)) == "requirements" && strings.HasSuffix(file, ".txt")
	},
	Fetch:   func([]string, bool) string { return pipFetch },
	Partial: `python3 "$TMPDIR/pip-partial.py" "$TMPDIR"`,
	Pins:    []string{"bobbin-exact.txt"},
	Helpers: map[string]string{
		"manifest.py": readManifest, "requirements.py": readRequirements, "pip-partial.py": pipPartial,
		"metadata.py": pipMetadata,
	},
	Vendored: ".venv",
	Version:  "python3 --version && python3 -m pip --version",
	Hosts:    []string{"pypi.org", "files.pythonhosted.org"},
}

// ForRunner returns the manager that fetches a test runner. Its command line expects the name in
// BOBBIN_RUNNER.
func ForRunner(name string) (Manager, bool) { return pip, name == "pytest" }

var pythonNames = regexp.MustCompile(`dependencies|install_requires|tests_require|extras_require|\bdeps\b|` +
	`\.install\(|\[(dev-)?packages\]|\[dependency-groups\]|pytest`)

// readPythonManifest reports whether a file names packages. A requirements file names exact versions if each
// of its lines does.
func readPythonManifest(base, text string) (names, exact bool) {
	if !strings.HasSuffix(base, ".txt") {
		return pythonNames.MatchString(text), false
	}
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", " ")) {
		line, _, _ = strings.Cut(line, "#")
		if line = strings.TrimSpace(line); line != "" && !strings.Contains(line, "==") {
			return true, false
		}
	}
	return strings.TrimSpace(text) != "", true
}
