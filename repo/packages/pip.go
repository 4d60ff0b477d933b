package packages

import (
	"path"
	"regexp"
	"strings"
)

var pip = manager{
	name:     "python",
	locks:    regexp.MustCompile(`^requirements([-_.](dev|test|tests|ci))?\.txt$`),
	manifest: regexp.MustCompile(`^([a-z_.-]*(requirements|constraints)[a-z_.-]*\.txt|pyproject\.toml|setup\.cfg|poetry\.lock|uv\.lock|pylock\.toml|Pipfile(\.lock)?)$`),
	needs: func(file string) bool { // one requirements file may take in others
		return path.Base(folderOf(file)) == "requirements" && strings.HasSuffix(file, ".txt")
	},
	fetch: func(locks []string) string {
		return `python3 -m pip install --only-binary=:all: --target "$PACKAGES/python" -r ` + strings.Join(locks, " -r ")
	},
	vendored: ".venv",
	version:  "python3 --version && python3 -m pip --version",
	hosts:    []string{"pypi.org", "files.pythonhosted.org"},
}
