package packages

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// ables holds what able has found, by line: tools such as pip and npm take half a
// second to say their version.
var ables struct {
	sync.Mutex
	why map[string]string // "" if the line works
}

// able skips the test if commands in the sandbox cannot use a tool.
func able(t *testing.T, s *sandbox.Sandbox, line string) {
	t.Helper()
	ables.Lock()
	defer ables.Unlock()
	why, known := ables.why[line]
	if !known {
		if out, err := run(t, s, nil, nil, line); err != nil {
			why = err.Error() + ": " + out
		}
		if ables.why == nil {
			ables.why = map[string]string{}
		}
		ables.why[line] = why
	}
	if why != "" {
		t.Skipf("not run: commands in the sandbox cannot use this here: %s: %s", line, why)
	}
}

func ran(p *Packages) bool {
	_, err := os.Stat(filepath.Join(p.sets[0].dir, "out", "go", "ran"))
	return err == nil
}

func TestNodePackages(t *testing.T) {
	t.Parallel()
	s := box(t)
	able(t, s, "node --version && npm --version")
	tree := nodeFiles(t, "web/")
	f, j, _ := fetching(t, s, tree)
	out, err := run(t, s, nil, tree, "cd web && node index.js")
	require.Error(t, err, "the control: without it there is no such package")
	require.Contains(t, out, "left-shop")

	p := fetch(t, f, j)
	require.False(t, ran(p), "no script of the packages or of the manifest was run")
	for kind, s := range boxes() {
		out, err = run(t, s, p, tree, "cd web && node index.js && ! touch node_modules/x && ! rm -rf "+
			"node_modules/left-shop && mkdir ../mine && touch ../mine/x")
		require.NoError(t, err, kind+out)
		require.Contains(t, out, "hello\n", kind)
		out, err = run(t, s, p, tree, `cd web && test ! -e node_modules/.vite/x && node -e 'for (d of `+
			`[".cache", ".vite", ".vite-temp"]) { const fs = require("fs"); fs.mkdirSync("node_modules/" + `+
			`d, {recursive: true}); fs.writeFileSync("node_modules/" + d + "/x", "") }'`)
		require.NoError(t, err, "what tools keep there each command has for itself: %s%s", kind, out)
	}
}

// The control for scripts: if scripts are enabled, the script of the package runs. The host that it tries to
// reach is refused and reported.
func TestScriptsOfPackages(t *testing.T) {
	t.Parallel()
	s := box(t)
	able(t, s, "node --version && npm --version")
	f, j, r := fetching(t, s, nodeFiles(t, ""))
	j.Config.Run = []string{"npm ci --ignore-scripts=false --foreground-scripts --no-audit --no-fund"}
	p := fetch(t, f, j)
	require.True(t, ran(p))
	require.Equal(t, "evil.example", p.Refused[0].Target)
	require.NotContains(t, r.Dialled(), "198.41.0.66:80")
}

// If the tree of the repository has a link in the way of the mount point, nothing is mounted, here or
// elsewhere.
func TestLinksInTheWayOfPackages(t *testing.T) {
	t.Parallel()
	web := &packageSet{dir: t.TempDir(), note: setupRecord{Node: []string{"web"}}}
	p := &Packages{sets: []*packageSet{web}}
	require.NoError(t, os.MkdirAll(filepath.Join(web.dir, "node", "0", "a"), 0o755))
	for name, plant := range map[string]func(tree string) error{
		"a link in its place": func(tree string) error {
			return os.Symlink("/etc", filepath.Join(tree, "web", "node_modules"))
		},
		"a file in its place": func(tree string) error {
			return os.WriteFile(filepath.Join(tree, "web", "node_modules"), nil, 0o644)
		},
		"a link on the way": func(tree string) error {
			return errors.Join(os.Remove(filepath.Join(tree, "web")),
				os.Symlink("/etc", filepath.Join(tree, "web")))
		},
		"nothing on the way": func(tree string) error { return os.Remove(filepath.Join(tree, "web")) },
		"":                   func(string) error { return nil },
		"a folder in its place": func(tree string) error {
			return os.Mkdir(filepath.Join(tree, "web", "node_modules"), 0o755)
		},
	} {
		tree := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(tree, "web"), 0o755))
		require.NoError(t, plant(tree))
		mounts, _ := p.Mounts(tree)
		require.Equal(t, name == "" || name == "a folder in its place", len(mounts) == 1, name)
	}
}

// If a command replaces an output folder by a link, the link is not mounted.
func TestLinksInPlaceOfPackages(t *testing.T) {
	t.Parallel()
	s := box(t)
	tree := files{"package-lock.json": "{}", "package.json": "{}", "go.mod": "module x\n", "go.sum": "\n"}
	f, j, _ := fetching(t, s, tree)
	j.Config.Run = []string{"rmdir $PACKAGES/go && ln -s /etc $PACKAGES/go && ln -s / node_modules && ln " +
		"-s /etc/passwd $PACKAGES/setup.json && touch $PACKAGES/python/x"}
	p := fetch(t, f, j)
	mounts, env := p.Mounts(t.TempDir())
	require.Len(t, mounts, 1, "the control: the one that is a folder")
	require.Equal(t, []string{"PYTHONPATH=/cache/python", "PATH=/cache/python/bin:$PATH"}, env)
}

func TestPythonPackages(t *testing.T) {
	t.Parallel()
	s := box(t)
	able(t, s, "python3 -m pip --version")
	tree := files{
		"requirements.txt": "left-shop==1.0.0\n",
		"a.py":             "import left_shop\nprint(left_shop.HELLO)\n",
	}
	f, j, _ := fetching(t, s, tree)
	_, err := run(t, s, nil, tree, "python3 a.py")
	require.Error(t, err, "the control")
	p := fetch(t, f, j)
	out, err := run(t, s, p, tree, "python3 a.py && left-shop && ! touch $PYTHONPATH/x 2>/dev/null")
	require.NoError(t, err, out)
	require.Equal(t, "hello\nhello\n", out, "as a module, and as a program")

	// A package that must run code to be installed is not installed.
	f, j, _ = fetching(t, s, files{"requirements.txt": "old-shop==1.0.0\n"})
	require.Contains(t, failure(t, f, j).Output, "No matching distribution found for old-shop==1.0.0")
	f, j, _ = fetching(t, s, files{"requirements.txt": "--no-binary=:all:\nold-shop==1.0.0\n"})
	require.Equal(t,
		"requirements.txt says --no-binary, so code of the packages would be run to install them",
		failure(t, f, j).Why)
}

// The module cache of this machine is used before the network, but only by commands that run no untrusted
// code.
func TestModulesOfThisMachine(t *testing.T) {
	t.Parallel()
	f, j, r := fetching(t, box(t), goFiles())
	first := fetch(t, f, j)
	before := len(r.Asked())
	f.ModuleCache = filepath.Join(first.sets[0].dir, "out", "go")
	j.Dir = filepath.Join(t.TempDir(), "packages")
	require.True(t, fetch(t, f, j).Fetched)
	require.Len(t, r.Asked(), before)
	j.Config.Run = []string{"! test -e " + insideMachine}
	fetch(t, f, j)
}

// If several fetchers, as in several processes, need the same packages at once, they are fetched once.
func TestFetchedOnce(t *testing.T) {
	t.Parallel()
	s := box(t)
	f, j, r := fetching(t, s, goFiles())
	hold := make(chan struct{})
	r.Reached(func(context.Context) { <-hold })
	var all sync.WaitGroup
	var mu sync.Mutex
	var fresh, begun int
	j.Begin = func(string) {
		mu.Lock()
		defer mu.Unlock()
		if begun++; begun == 4 {
			close(hold) // all of them wait, and one of them for the registry
		}
	}
	for range 4 {
		all.Go(func() {
			other := &Fetcher{Sandbox: f.Sandbox, Network: f.Network} // as in another process
			p, err := other.Fetch(t.Context(), j)
			if err != nil || p == nil {
				t.Error(p, err)
				return
			}
			defer p.Close()
			mu.Lock()
			defer mu.Unlock()
			if p.Fetched {
				fresh++
			}
		})
	}
	all.Wait()
	require.Equal(t, 1, fresh)
	zips := 0
	for _, path := range r.Asked() {
		if strings.HasSuffix(path, ".zip") {
			zips++
		}
	}
	require.Equal(t, 1, zips)
}

// An interrupted fetch leaves no packages that look complete, and the next fetch starts from the beginning.
func TestBrokenOff(t *testing.T) {
	t.Parallel()
	s := box(t)
	f, j, r := fetching(t, s, goFiles())
	ctx, stop := context.WithCancel(t.Context())
	r.Reached(func(asked context.Context) { // during the fetch
		stop()
		<-asked.Done()
	})
	_, err := f.Fetch(ctx, j)
	require.ErrorIs(t, err, context.Canceled)
	for _, k := range List(j.Dir) {
		t.Error(k.Path, "stays")
	}
	r.Reached(nil)
	// The folder of a killed process, without the permission to enter it.
	plans, err := findPlans(t.Context(), j.Commits, j.Commit, j.Config)
	require.NoError(t, err)
	versions, missing := f.toolVersions(t.Context(), plans[0], Tools{})
	require.Nil(t, missing)
	key, err := plans[0].cacheKey(j.Config, nil, versions)
	require.NoError(t, err)
	half := filepath.Join(j.Dir, makingPrefix+key+"-1", "kept", "out")
	require.NoError(t, os.MkdirAll(half, 0o755))
	require.NoError(t, os.Chmod(half, 0))
	fetch(t, f, j)
	require.NoDirExists(t, filepath.Dir(filepath.Dir(half)))
}

func TestTimeAndDisk(t *testing.T) {
	t.Parallel()
	f, j, _ := fetching(t, box(t), goFiles())
	j.Config.Run = []string{"echo begun; sleep 1000"}
	e := &Missing{}
	// The time includes the command's start, which takes longer on a busy machine.
	for most := 5 * time.Second; most < 5*time.Minute && e.Output != "begun"; most *= 2 {
		j.Config.Time = most
		e = failure(t, f, j)
	}
	require.Equal(t, "`echo begun; sleep 1000` was not done after "+j.Config.Time.String(), e.Why)
	require.Equal(t, "`setup.minutes` in the configuration allows more", e.Cure)
	require.Equal(t, "begun", e.Output)

	f.disk = 1 << 20
	fill := "head -c 8000000 /dev/zero > $PACKAGES/go/much; "
	j.Config.Run = []string{fill + "sleep 1000"}
	j.Config.Time = 0
	require.Equal(t, "it took more of the disk than may be", failure(t, f, j).Why)
	f.disk = 0
	j.Config.Run = []string{fill}
	fetch(t, f, j) // the control
}

// A fetch over TLS through a tunnel of the proxy.
func TestOverTLS(t *testing.T) {
	t.Parallel()
	f, j, r := fetching(t, box(t), goFiles())
	j.Config.Run = []string{
		"curl -skSf https://" + registryHost + "/go/example.com/greet/@v/v1.0.0.info > $PACKAGES/go/info",
	}
	p := fetch(t, f, j)
	text, err := os.ReadFile(filepath.Join(p.sets[0].dir, "out", "go", "info"))
	require.NoError(t, err)
	require.Equal(t, `{"Version":"v1.0.0"}`, string(text))
	require.Equal(t, []string{"198.41.0.4:443"}, r.Dialled())
}

// This test uses the public registries, if BOBBIN_REAL_REGISTRIES is set and they can be reached.
func TestRealRegistries(t *testing.T) {
	t.Parallel()
	if os.Getenv("BOBBIN_REAL_REGISTRIES") == "" {
		t.Skip("set BOBBIN_REAL_REGISTRIES to ask the public registries")
	}
	s := box(t)
	for name, c := range map[string]struct {
		tree files
		line string
	}{
		"go": {files{
			"go.mod": "module x\n\ngo 1.24\n\nrequire github.com/davecgh/go-spew v1.1.1\n",
			"go.sum": "github.com/davecgh/go-spew v1.1.1 h1:vj9j/u1bqnvCEfJOwUhtlOARqs3+rkHYY13jYWTU97c=\n" +
				"github.com/davecgh/go-spew v1.1.1/go.mod h1:J7Y8YcW2NihsgmVo/mv3lAwl/skON4iLHjSsI+c5H38=\n",
		}, "test -d $GOMODCACHE/github.com/davecgh/go-spew@v1.1.1"},
		"python": {files{"requirements.txt": "six==1.16.0\n"}, "python3 -c 'import six'"},
		"node": {files{
			"package.json": `{"name":"x","version":"1.0.0","dependencies":{"left-pad":"1.3.0"}}`,
			"package-lock.json": `{"name":"x","version":"1.0.0","lockfileVersion":3,` +
				`"packages":{"":{"name":"x","version":"1.0.0","dependencies":{"left-pad":"1.3.0"}},` +
				`"node_modules/left-pad":{"version":"1.3.0",` +
				`"resolved":"https://registry.npmjs.org/left-pad/-/left-pad-1.3.0.tgz",` +
				`"integrity":"sha512-XI5MPzVNApjAyhQzphX8BkmKsKUxD4LdyK24iZeQGinBN9yTQT3bFlCB` +
				`y/aVx2HrNcqQGsdot8ghrjyrvMCoEA=="}}}`,
		}, "node -e 'require(\"left-pad\")'"},
		"node without a lock file": {
			files{"package.json": `{"name":"x","version":"1.0.0","devDependencies":{"mocha":"^10.0.0"}}`},
			"node_modules/.bin/mocha --version",
		},
		"go without sums": {files{
			"go.mod": "module x\n\ngo 1.24\n\nrequire github.com/davecgh/go-spew v1.1.1\n",
			"a.go":   "package x\n\nimport _ \"github.com/davecgh/go-spew/spew\"\n",
		}, "go build ./..."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, commit := mirrorOf(t, c.tree)
			// The registries of this account are used, because behind a gateway they have other addresses.
			own := func(ctx context.Context, kind string) ([]string, error) {
				r, err := FindAccount(ctx, kind)
				return r.Env, err
			}
			p := fetch(t, &Fetcher{Sandbox: s, Registries: own},
				Job{Commits: m, Commit: commit, Dir: filepath.Join(t.TempDir(), "packages")})
			require.Empty(t, p.Refused)
			out, err := run(t, s, p, c.tree, c.line)
			require.NoError(t, err, out)
		})
	}
}

// Packages in use are kept; unused ones are removed, and fetched again when they are needed.
func TestCleaning(t *testing.T) {
	t.Parallel()
	f, j, _ := fetching(t, box(t), goFiles())
	p := fetch(t, f, j)
	list := List(j.Dir)
	require.Len(t, list, 1)
	require.Positive(t, list[0].Bytes)
	require.WithinDuration(t, time.Now(), list[0].Used, time.Hour)
	gone, err := list[0].Remove()
	require.NoError(t, err)
	require.False(t, gone, "it is used")
	require.True(t, InUse(j.Dir))
	p.Close()
	require.False(t, InUse(j.Dir))
	gone, err = list[0].Remove()
	require.NoError(t, err)
	require.True(t, gone)
	require.Empty(t, List(j.Dir))
	require.True(t, fetch(t, f, j).Fetched)
}
