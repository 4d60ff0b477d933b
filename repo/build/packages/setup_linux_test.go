package packages

import (
	"bytes"
	"context"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/packages/packagestest"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

func TestMain(m *testing.M) {
	os.Setenv("SECRET_OF_OURS", "xoxb-1") // no command may see it
	os.Exit(m.Run())
}

var boxes = sync.OnceValue(func() map[string]*sandbox.Sandbox {
	out := map[string]*sandbox.Sandbox{}
	for _, kind := range []string{sandbox.KindNamespaces, sandbox.KindBubblewrap} {
		s, err := sandbox.Open(context.Background(), sandbox.Config{Kind: kind})
		if err == nil {
			out[kind] = s
		}
	}
	return out
})

// box returns a sandbox that works on this machine, or skips the test.
func box(t *testing.T) *sandbox.Sandbox {
	t.Helper()
	for _, s := range boxes() {
		return s
	}
	t.Skip("no sandbox holds here")
	return nil
}

type files map[string]string

// mirrorOf returns the commits of a mirror of a repository with one commit of the files, and the hash of that
// commit.
func mirrorOf(t *testing.T, tree files) (git.Commits, string) {
	t.Helper()
	dir := t.TempDir()
	origin := filepath.Join(dir, "origin")
	r, err := gogit.PlainInitWithOptions(origin, &gogit.PlainInitOptions{InitOptions: gogit.InitOptions{DefaultBranch: plumbing.Main}})
	require.NoError(t, err)
	w, err := r.Worktree()
	require.NoError(t, err)
	for _, name := range slices.Sorted(maps.Keys(tree)) {
		file := filepath.Join(origin, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(tree[name]), 0o644))
		require.NoError(t, w.AddWithOptions(&gogit.AddOptions{Path: name, SkipStatus: true}))
	}
	by := &object.Signature{Name: "Ada", Email: "ada@example.com", When: time.Unix(1700000000, 0)}
	commit, err := w.Commit("a tree", &gogit.CommitOptions{Author: by})
	require.NoError(t, err)
	all := &git.Mirrors{Dir: filepath.Join(dir, "mirrors"), Log: slog.New(slog.DiscardHandler)}
	t.Cleanup(func() { all.Close() })
	m, err := all.Open(t.Context(), remote.Remote{Name: "shop", URL: origin})
	require.NoError(t, err)
	return m.Commits(), commit.String()
}

// toolsFound holds the versions of the tools that earlier fetchers have found, since each tool takes up to a second to say
// its own.
var toolsFound sync.Map

func copyVersions(to, from *sync.Map) {
	from.Range(func(tool, version any) bool { to.Store(tool, version); return true })
}

// fetching returns a fetcher whose network has only the registry, and a job for the files.
func fetching(t *testing.T, s *sandbox.Sandbox, tree files) (*Fetcher, Job, registry) {
	t.Helper()
	r := newRegistry(t)
	m, commit := mirrorOf(t, tree)
	f := &Fetcher{Sandbox: s, Network: r}
	copyVersions(&f.versions, &toolsFound)
	t.Cleanup(func() { copyVersions(&toolsFound, &f.versions) })
	return f, Job{Commits: m, Commit: commit, Config: Config{Env: mirrors()}, Dir: filepath.Join(t.TempDir(), "packages")}, r
}

func fetch(t *testing.T, f *Fetcher, j Job) *Packages {
	t.Helper()
	p, err := f.Fetch(t.Context(), j)
	require.NoError(t, err)
	require.NotNil(t, p)
	t.Cleanup(p.Close)
	for _, m := range p.Missing {
		t.Error(m.Error() + "\n" + m.Output)
	}
	return p
}

// run runs a line in a folder with the files, with the packages mounted, and returns its output.
func run(t *testing.T, s *sandbox.Sandbox, p *Packages, tree files, line string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range tree {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	require.NoError(t, s.Own(dir))
	c := s.Command(dir, "sh", "-c", line)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	c.Mounts, c.Env = p.Mounts(dir)
	c.Env = append(c.Env, "GOFLAGS=", "GOCACHE=/tmp/go")
	err := c.Run(t.Context())
	return out.String(), err
}

// failure fetches, expects that nothing could be fetched, and returns the only Missing.
func failure(t *testing.T, f *Fetcher, j Job) *Missing {
	t.Helper()
	p, err := f.Fetch(t.Context(), j)
	require.NoError(t, err)
	require.Empty(t, p.sets)
	require.Len(t, p.Missing, 1)
	e := &p.Missing[0]
	t.Log(e.Error() + "\n" + e.Output)
	left, _ := os.ReadDir(j.Dir)
	for _, l := range left {
		require.False(t, strings.HasPrefix(l.Name(), makingPrefix), l.Name())
	}
	return e
}

func TestGoModules(t *testing.T) {
	t.Parallel()
	for kind, s := range boxes() {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			f, j, r := fetching(t, s, goFiles())
			var names []string
			j.Begin = func(n string) { names = append(names, n) }
			out, err := run(t, s, nil, goFiles(), "go build ./...")
			require.Error(t, err, "the control: without it the build fails")
			require.Contains(t, out, "example.com/greet")

			p := fetch(t, f, j)
			require.True(t, p.Fetched)
			out, err = run(t, s, p, goFiles(), "go build ./...")
			require.NoError(t, err, out)
			require.Equal(t, []string{"go.sum"}, names)
			require.Contains(t, r.Asked(), "/go/example.com/greet/@v/v1.0.0.zip")

			// A second fetch sends no request.
			before := len(r.Asked())
			again := fetch(t, f, j)
			require.False(t, again.Fetched)
			require.Equal(t, p.Key(), again.Key())
			require.Len(t, r.Asked(), before)
			require.Len(t, names, 1)

			// Commands cannot change the fetched packages, and cannot use the proxy.
			out, err = run(t, s, p, goFiles(), `for line in 'touch $GOMODCACHE/x' 'echo x >> $GOMODCACHE/example.com/greet@v1.0.0/greet.go' \
				'rm -rf $GOMODCACHE/example.com' 'chmod u+w $GOMODCACHE' 'test -e /run/way-out' 'test -n "$HTTP_PROXY"'; do
				if sh -c "$line" 2>/dev/null; then echo "done: $line"; fi
			done
			test -d $GOMODCACHE/example.com/greet@v1.0.0 && touch /src/x && echo the control`)
			require.NoError(t, err)
			require.Equal(t, "the control\n", out)
		})
	}
}

// Only lock files and manifests of the commit are copied, and the environment holds no variable of the
// program.
func TestWhatTheCommandsSee(t *testing.T) {
	t.Parallel()
	s := box(t)
	tree := goFiles()
	tree["web/package.json"], tree[".env"], tree["secret.pem"] = "{}", "TOKEN=x", "x"
	f, j, _ := fetching(t, s, tree)
	j.Config.Run = []string{"find . -type f | sort > $PACKAGES/go/files; env | sort > $PACKAGES/go/env; cat /etc/hostname /proc/net/route > $PACKAGES/go/net 2>/dev/null; true"}

	p := fetch(t, f, j)
	text := func(name string) string {
		b, err := os.ReadFile(filepath.Join(p.sets[0].dir, "out", "go", name))
		require.NoError(t, err)
		return string(b)
	}
	require.Equal(t, "./go.mod\n./go.sum\n./web/package.json\n", text("files"))
	require.NotContains(t, text("env"), "xoxb")
	require.Contains(t, text("env"), "HTTPS_PROXY=http://127.0.0.1:")
	require.LessOrEqual(t, strings.Count(text("net"), "\n"), 1, "no route")
}

// A host that is not allowed is refused and reported, over http and https.
func TestAnotherHostIsRefusedAndNamed(t *testing.T) {
	t.Parallel()
	s := box(t)
	f, j, r := fetching(t, s, goFiles())
	j.Config.Run = []string{"curl -sS --max-time 20 https://evil.example/x; curl -sSf --max-time 20 http://inside.example/; exit 3"}
	j.Config.Allow = []string{registryHost, "inside.example"}
	e := failure(t, f, j)
	require.Equal(t, []string{"evil.example:443", "inside.example"}, targets(e))
	require.Contains(t, e.Why, "was refused `evil.example`, `inside.example`")
	require.Equal(t, "if that is meant, `setup: {allow: [inside.example, packages.example, evil.example]}` in the configuration", e.Cure, "all that has to stand there")
	require.Empty(t, r.Dialled())

	// A refused request is also reported if the command succeeds.
	j.Config.Run = []string{"curl -s --max-time 20 http://evil.example/x; true"}
	p := fetch(t, f, j)
	require.Equal(t, "evil.example", p.Refused[0].Target)
	// Without the proxy, no host can be reached. With the host allowed, the same request reaches it.
	j.Config.Run = []string{"curl -sS --noproxy '*' --max-time 20 http://198.41.0.66/"}
	require.Empty(t, failure(t, f, j).Refused)
	require.Empty(t, r.Dialled())
	j.Config.Run, j.Config.Allow = []string{"curl -s --max-time 20 http://evil.example/x"}, []string{"evil.example"}
	fetch(t, f, j)
	require.Equal(t, []string{"198.41.0.66:80"}, r.Dialled())
}

func targets(e *Missing) (out []string) {
	for _, r := range e.Refused {
		out = append(out, r.Target)
	}
	return out
}

// A go.mod that requires a module from a host that is not allowed.
func TestModuleOfAnotherHost(t *testing.T) {
	t.Parallel()
	tree := goFiles()
	f, j, r := fetching(t, box(t), tree)
	j.Config.Env = append(mirrors(), "GOPROXY=https://evil.example,direct", "GOVCS=*:all")
	j.Config.Allow = []string{registryHost}
	e := failure(t, f, j)
	require.Contains(t, e.Error(), "refused evil.example:443: it is not among the hosts that setup.allow names")
	require.Empty(t, r.Dialled())
}

// The cache key depends on everything that determines the packages, and on nothing else.
func TestKeys(t *testing.T) {
	t.Parallel()
	key := func(tree files, c Config, versions string) string {
		m, commit := mirrorOf(t, tree)
		plans, err := findPlans(t.Context(), m, commit, c)
		require.NoError(t, err)
		var all string
		for _, p := range plans {
			k, err := p.cacheKey(c, nil, versions)
			require.NoError(t, err)
			all += k
		}
		return all
	}
	with := func(name, text string) files {
		tree := goFiles()
		tree[name] = text
		return tree
	}
	first := key(goFiles(), Config{}, "go1")
	require.Equal(t, first, key(with("a.go", "package other\n"), Config{Time: time.Minute}, "go1"))
	other := map[string]string{
		"lock":     key(with("go.sum", goFiles()["go.sum"]+"\n"), Config{}, "go1"),
		"manifest": key(with("go.mod", goFiles()["go.mod"]+"\n"), Config{}, "go1"),
		"run":      key(goFiles(), Config{Run: []string{"go mod download -x"}}, "go1"),
		"allow":    key(goFiles(), Config{Allow: []string{"a.example"}}, "go1"),
		"env":      key(goFiles(), Config{Env: []string{"GOPROXY=http://a.example"}}, "go1"),
		"tools":    key(goFiles(), Config{}, "go2"),
		"more":     key(with("package-lock.json", "{}"), Config{}, "go1"),
	}
	seen := map[string]string{first: "first"}
	for name, k := range other {
		require.Empty(t, seen[k], name)
		seen[k] = name
	}

	// Some tools read manifests whose content no lock file repeats.
	for lock, below := range map[string]string{"yarn.lock": "client/package.json", "pom.xml": "client/pom.xml", "build.gradle": "client/build.gradle"} {
		require.NotEqual(t, key(files{lock: "x", below: "x"}, Config{}, "1"), key(files{lock: "x", below: "y"}, Config{}, "1"), below)
		require.NotEqual(t, key(files{lock: "x"}, Config{}, "1"), key(files{lock: "x", below: "x"}, Config{}, "1"), below)
	}
	// The settings of Node's tools decide what of a lock file is installed, and where.
	for lock, settings := range map[string]string{"package-lock.json": ".npmrc", "pnpm-lock.yaml": "pnpm-workspace.yaml"} {
		require.NotEqual(t, key(files{lock: "{}", settings: "x"}, Config{}, "1"), key(files{lock: "{}", settings: "y"}, Config{}, "1"), settings)
	}
	require.Equal(t, key(files{"package-lock.json": "{}", "package.json": "{}"}, Config{}, "1"), key(files{"package-lock.json": "{}", "package.json": `{"scripts": {}}`}, Config{}, "1"))
}

func TestWhatIsFound(t *testing.T) {
	t.Parallel()
	part := func(folder string, tree files) (lines []string) {
		m, commit := mirrorOf(t, tree)
		plans, err := findPlans(t.Context(), m, commit, Config{Folder: folder})
		require.NoError(t, err)
		for _, p := range plans {
			for _, s := range p.steps {
				lines = append(lines, s.dir+": "+s.shown)
			}
		}
		return lines
	}
	plan := func(tree files) []string { return part("", tree) }
	require.Empty(t, plan(files{"README.md": "x", "go.mod": "module x\n"}))
	require.Equal(t, []string{": go mod download"}, plan(goFiles()))
	require.Equal(t, []string{"api: go mod download", "web: npm ci --ignore-scripts --no-audit --no-fund"}, plan(files{
		"api/go.sum": "x", "web/package-lock.json": "{}", "lib/node_modules/a/package-lock.json": "{}", "vendor/b/go.sum": "x", "testdata/go.sum": "x", ".x/go.sum": "x", "api/deeper/go.sum": "x",
	}))
	require.Equal(t, []string{": pip install"}, plan(files{
		"go.sum": "x", "vendor/modules.txt": "x", "package-lock.json": "{}", "node_modules/x/index.js": "x", // packages that the repository itself contains
		"requirements.txt": "x", "requirements-dev.txt": "y", "Cargo.lock": "x",
	}))
	const download = ": go mod download"
	large := files{"go.sum": "x", "a/b/c/d/e/shop/go.sum": "x", "a/b/go.sum": "x", "other/package-lock.json": "{}", "a/b/c/d/e/shop/x/y/go.sum": "x"}
	require.Equal(t, []string{"a/b/c/d/e/shop" + download}, part("a/b/c/d/e/shop", large), "its own")
	require.Equal(t, []string{"a/b" + download}, part("a/b/other", large), "what it stands in")
	require.Equal(t, []string{download}, part("docs", large))
	delete(large, "go.sum")
	require.Equal(t, []string{"a/b" + download}, part("a", large), "below it")
	require.Empty(t, part("docs", large), "what others need")
	require.Equal(t, []string{": cargo fetch --locked"}, plan(files{"Cargo.lock": "x", "Cargo.toml": "x", "src/main.rs": "x"}))
}

// The test runner of the test command is fetched even if no manifest names it.
func TestRunnerOfTests(t *testing.T) {
	t.Parallel()
	m, commit := mirrorOf(t, files{"test_a.py": "def test_a(): pass\n"})
	plans, err := findPlans(t.Context(), m, commit, Config{Runner: "mocha"})
	require.NoError(t, err)
	require.Empty(t, plans)
	plans, err = findPlans(t.Context(), m, commit, Config{Runner: "pytest"})
	require.NoError(t, err)
	require.Len(t, plans, 1)
	require.Equal(t, []string{"bobbin-exact.txt"}, plans[0].pinPaths())

	able(t, box(t), "python3 -m pip --version && ! python3 -c 'import pytest'")
	f, j, _ := fetching(t, box(t), files{"test_a.py": "def test_a(): pass\n"})
	j.Config.Runner = "pytest"
	e := failure(t, f, j)
	require.Contains(t, e.Output, "No matching distribution found for pytest", "the registry of the tests has none")
	require.Equal(t, "the test command", e.Names)
}

func TestOff(t *testing.T) {
	t.Parallel()
	f, j, r := fetching(t, box(t), goFiles())
	j.Config.Off = true
	p, err := f.Fetch(t.Context(), j)
	require.NoError(t, err)
	require.Nil(t, p)
	mounts, env := p.Mounts(t.TempDir())
	require.Empty(t, mounts)
	require.Empty(t, env)
	require.Empty(t, p.Key())
	p.Close()
	require.Empty(t, r.Asked())
}

// The operator's own registries are used without further configuration, even in a private network. The
// control is the same host in the repository's configuration, where it is refused.
func TestRegistriesOfTheOperator(t *testing.T) {
	t.Parallel()
	f, j, r := fetching(t, box(t), goFiles())
	j.Config.Env = []string{"GOPROXY=http://" + packagestest.Private + "/go", "GONOSUMDB=*"}
	e := failure(t, f, j)
	require.Contains(t, e.Error(), "in a private network")
	require.Equal(t, "if that is meant, `setup: {private: [private.example]}` in the configuration", e.Cure)
	require.Empty(t, r.Dialled())

	own := j.Config.Env
	var asked []string
	f.Registries = func(_ context.Context, kind string) ([]string, error) {
		asked = append(asked, kind)
		return own, nil
	}
	f.own.Clear()
	j.Config.Env = nil
	fetch(t, f, j)
	require.Equal(t, []string{"go"}, asked)
	require.Contains(t, r.Dialled(), "10.9.8.7:80")
}

// The operator's registry is used unless the repository sets one. The repository's registry is refused like
// any other host.
func TestRegistryOfTheRepository(t *testing.T) {
	t.Parallel()
	able(t, box(t), "npm --version")
	tree := files{"package.json": shopManifest}
	f, j, _ := fetching(t, box(t), tree)
	own := j.Config.Env
	f.Registries = func(context.Context, string) ([]string, error) { return own, nil }
	j.Config.Env = nil
	fetch(t, f, j)
	tree[".npmrc"] = "registry=https://evil.example/npm/\n"
	j.Commits, j.Commit = mirrorOf(t, tree)
	require.Equal(t, "`npm install` was refused `evil.example`", failure(t, f, j).Why)
}

// Packages that no build of the top folder uses are not fetched. If one manager fails, the others still
// fetch.
func TestWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	tree := goFiles()
	for _, file := range []string{"_examples/tls/package-lock.json", "docs/package-lock.json", "tools/go.sum", "website/requirements.txt"} {
		tree[file] = "x"
	}
	f, j, _ := fetching(t, box(t), tree)
	plans, err := findPlans(t.Context(), j.Commits, j.Commit, j.Config)
	require.NoError(t, err)
	require.Len(t, plans, 1)
	require.Equal(t, []string{"go.sum"}, plans[0].locks)
	m, commit := mirrorOf(t, files{"go.mod": "module x\n", "tools/go.sum": "x"})
	plans, err = findPlans(t.Context(), m, commit, Config{})
	require.NoError(t, err)
	require.Empty(t, plans, "a module of its own")

	able(t, f.Sandbox, "cargo --version")
	tree["Cargo.lock"] = "no lock file"
	j.Commits, j.Commit = mirrorOf(t, tree)
	p, err := f.Fetch(t.Context(), j)
	require.NoError(t, err)
	defer p.Close()
	require.Len(t, p.Missing, 1)
	require.Equal(t, "rust", p.Missing[0].Kind)
	require.Equal(t, "Cargo.lock", p.Missing[0].Names)
	out, err := run(t, f.Sandbox, p, tree, "go build ./...")
	require.NoError(t, err, out)
}

// A package manager that is not installed is reported.
func TestManagerThatIsNotInstalled(t *testing.T) {
	t.Parallel()
	s := box(t)
	if _, err := run(t, s, nil, nil, "gradle --version"); err == nil {
		// The test needs a machine without gradle; the tests of the other managers cover machines that have
		// them.
		t.Skip("gradle is installed")
	}
	f, j, _ := fetching(t, s, files{"build.gradle": "x"})
	e := failure(t, f, j)
	require.Equal(t, "gradle is not installed here", e.Why)
	require.Equal(t, "gradle", e.Tool)
	require.Equal(t, "build.gradle", e.Names)
}
