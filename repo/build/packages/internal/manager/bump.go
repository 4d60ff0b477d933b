package manager

import (
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Bump is how another version of one package is written into manifest and lock file.
type Bump struct {
	Program string // that does it
	Version string // the command line that prints the program's version
	// Line runs in the folder of the lock file with the variables NAME and VERSION.
	Line string
}

var (
	//go:embed npm-bump.js
	npmBump string
	//go:embed requirements-bump.py
	requirementsBump string
	//go:embed bundler-bump.rb
	bundlerBump string
)

// bumps holds how packages are changed, by the file that says which program keeps it. Earlier ones win.
var bumps = []struct {
	kind string
	file *regexp.Regexp
	Bump
}{
	// Where Go's files are here too (BOBBIN_TIDY), go.sum and go.mod are also made as small as people's.
	{"go", regexp.MustCompile(`^go\.mod$`), Bump{
		"go", "go version", `go get "$NAME@$VERSION" && if test -n "$BOBBIN_TIDY"; then go mod tidy; fi`,
	}},
	{"node", regexp.MustCompile(`^pnpm-lock\.yaml$`), Bump{
		"pnpm", "pnpm --version",
		`if test -f pnpm-workspace.yaml; then all=-r; fi
pnpm update $all --lockfile-only --ignore-scripts "$NAME@$VERSION"`,
	}},
	{"node", regexp.MustCompile(`^yarn\.lock$`), Bump{"yarn", "yarn --version", `case $(yarn --version) in
1.*) yarn upgrade "$NAME@$VERSION" --ignore-scripts --non-interactive --cache-folder "$TMPDIR/yarn" ;;
*) YARN_ENABLE_SCRIPTS=0 YARN_ENABLE_TELEMETRY=0 YARN_GLOBAL_FOLDER="$TMPDIR/yarn" \
  yarn up "$NAME@$VERSION" --mode=update-lockfile ;;
esac`}},
	{"node", regexp.MustCompile(`^(package-lock|npm-shrinkwrap|package)\.json$`), Bump{
		"npm", "npm --version", `node "$TMPDIR/npm-bump.js"`,
	}},
	{"python", regexp.MustCompile(`^poetry\.lock$`), Bump{
		"poetry", "poetry --version", `poetry add --no-interaction --lock "$NAME@^$VERSION"`,
	}},
	{"python", regexp.MustCompile(`^uv\.lock$`), Bump{
		"uv", "uv --version", `uv lock --upgrade-package "$NAME==$VERSION"`,
	}},
	{"python", regexp.MustCompile(`^Pipfile\.lock$`), Bump{
		"pipenv", "pipenv --version", `pipenv upgrade "$NAME==$VERSION"`,
	}},
	{"python", regexp.MustCompile(`^[a-z_.-]*requirements[a-z_.-]*\.in$`), Bump{
		"pip-compile", "pip-compile --version", `for file in *requirements*.in; do
  pip-compile --quiet --upgrade-package "$NAME==$VERSION" "$file" || exit
done`,
	}},
	{"python", regexp.MustCompile(`^[a-z_.-]*requirements[a-z_.-]*\.txt$`), Bump{
		"python3", "python3 --version", `python3 "$TMPDIR/requirements-bump.py"`,
	}},
	{"rust", regexp.MustCompile(`^Cargo\.lock$`), Bump{
		"cargo", "cargo --version", `cargo update -p "$NAME" --precise "$VERSION" ||
  { cargo add "$NAME@$VERSION" && cargo update -p "$NAME" --precise "$VERSION"; }`,
	}},
	{"ruby", regexp.MustCompile(`^Gemfile\.lock$`), Bump{
		"bundle", "bundle --version", `ruby "$TMPDIR/bundler-bump.rb"`,
	}},
}

// BumpHelpers are the files that the lines of bumps expect in $TMPDIR, by name.
var BumpHelpers = map[string]string{
	"npm-bump.js": npmBump, "requirements-bump.py": requirementsBump, "bundler-bump.rb": bundlerBump,
}

// FindBump returns how a project of a kind with these files in its folder changes a package. It returns false
// if there is no way.
func FindBump(kind string, bases []string) (Bump, bool) {
	for _, b := range bumps {
		if b.kind == kind && slices.ContainsFunc(bases, b.file.MatchString) {
			return b.Bump, true
		}
	}
	return Bump{}, false
}

// bumpNames holds the names that packages may have, by kind of project.
var bumpNames = map[string]*regexp.Regexp{
	"go": regexp.MustCompile(
		`^[a-zA-Z0-9][a-zA-Z0-9-]*(\.[a-zA-Z0-9-]+)+(/[a-zA-Z0-9_~][a-zA-Z0-9._~+-]*)*$`),
	"node":   regexp.MustCompile(`^(@[a-z0-9_][a-z0-9._~-]*/)?[a-zA-Z0-9_][a-zA-Z0-9._~-]*$`),
	"python": regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?$`),
	"rust":   regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]*$`),
	"ruby":   regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.-]*$`),
}

var bumpVersion = regexp.MustCompile(`^v?[0-9][0-9A-Za-z.+-]{0,80}$`)

// CheckBump returns the name and version as the manager of that kind wants them, or an error that says what
// is wrong with them.
func CheckBump(kind, name, version string) (string, string, error) {
	form, known := bumpNames[kind]
	switch {
	case !known:
		return "", "", fmt.Errorf("packages of %s projects cannot be changed", kind)
	case len(name) > 200 || !form.MatchString(name):
		return "", "", fmt.Errorf("%.80q is no name of a package of a %s project", name, kind)
	case !bumpVersion.MatchString(version):
		return "", "", fmt.Errorf("%.80q is no exact version, such as 4.17.21", version)
	}
	version = strings.TrimPrefix(version, "v")
	if kind == "go" {
		version = "v" + version
	}
	return name, version, nil
}
