package try

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/repo/build"
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/trial"
)

// call runs the command with a temporary folder of its own, which has to be empty in the end.
func call(t *testing.T, ctx context.Context, o Options, env ...string) (out, errs string, err error) {
	t.Helper()
	var stdout, stderr strings.Builder
	con := cli.Console{Out: &stdout, Err: &stderr, Hide: redact.New(), Env: func(name string) string {
		for _, kv := range env {
			if value, ok := strings.CutPrefix(kv, name+"="); ok {
				return value
			}
		}
		return ""
	}}
	err = Run(ctx, o, con, slog.New(slog.DiscardHandler))
	left, globErr := filepath.Glob(filepath.Join(os.TempDir(), folderPrefix+"*"))
	require.NoError(t, globErr)
	require.Empty(t, left, "nothing is left behind")
	return stdout.String(), stderr.String(), err
}

// ownTemp gives the test a temporary folder that the sandbox's user may enter.
func ownTemp(t *testing.T) {
	t.Helper()
	dir, err := os.MkdirTemp("", "bobbin-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	require.NoError(t, os.Chmod(dir, 0o755))
	t.Setenv("TMPDIR", dir)
}

func seedGo(ctx context.Context, c *build.Checker, m *git.Mirrors, r repository.Repository) error {
	mirror, err := m.Open(ctx, r.Remote)
	if err != nil {
		return err
	}
	cache := repotest.GoCacheDir(c.For(mirror).Cache.WritableMounts(""))
	return repotest.SeedGoCache(ctx, c.Caches.Sandbox, cache)
}

// TestTheDemosShop tries the demo's shop by its path, as a repository of a configuration, and as JSON.
func TestTheDemosShop(t *testing.T) {
	ownTemp(t)
	dir := t.TempDir()
	shop := filepath.Join(dir, "shop.git")
	require.NoError(t, stage.PlantRemote(shop, txtar.Parse(stage.DemoShop).Files))
	out, _, err := call(t, t.Context(), Options{Repository: shop, Opened: seedGo})
	require.NoError(t, err, out)
	for _, want := range []string{
		"shop (" + shop + "), main at ", "a go project, ", "build     go build ./...\n", "clean in ",
		"test      go test ./...\n", "once more: ", " MB of memory at the peak\n",
		"a change of ", "Ready. What can be proven:",
	} {
		require.Contains(t, out, want)
	}
	file := filepath.Join(dir, "bobbin.yaml")
	require.NoError(t, os.WriteFile(file, []byte("repositories: [{name: store, url: "+shop+
		", checks: {build: \"true\", test: \"echo TAP version 13; echo ok 1 - a; echo 1..1\"}}]\n"), 0o600))
	out, _, err = call(t, t.Context(), Options{Repository: "store", Config: file, Once: true, JSON: true})
	require.NoError(t, err, out)
	var found struct {
		trial.Trial
		Configuration string
	}
	require.NoError(t, json.Unmarshal([]byte(out), &found))
	require.True(t, found.Ready)
	require.Equal(t, "the configuration", found.Test.From)
	require.Equal(t, 1, found.Base.Passed)
	require.Nil(t, found.Again)
	require.Empty(t, found.Configuration)
}

// TestExitCodes has a repository that is not ready, and wrong arguments.
func TestExitCodes(t *testing.T) {
	ownTemp(t)
	dir, _ := repotest.NewOrigin(t, repotest.Files{"README.md": "A shop.\n"})
	out, _, err := call(t, t.Context(), Options{Repository: dir})
	require.Equal(t, cli.ExitError(cli.ExitFailed), err)
	require.Contains(t, out, "Not ready: nothing can be proven here.\n  - there are no tests")
	file := filepath.Join(t.TempDir(), "bobbin.yaml")
	require.NoError(t, os.WriteFile(file, []byte("repositories: [{name: store, url: "+dir+"}]\n"), 0o600))
	for _, c := range []struct {
		want string
		o    Options
	}{
		{"there is no folder gone here; name a path", Options{Repository: "gone"}},
		{"there is no folder /gone/gone", Options{Repository: "/gone/gone"}},
		{"is a file, not the folder", Options{Repository: file}},
		{"no scheme; did you mean https://", Options{Repository: "github.com/acme/shop"}},
		{
			"no repository of that name in " + file + `; did you mean "store"`,
			Options{Repository: "stor", Config: file},
		},
		{"NO_TOKEN is not set", Options{Repository: dir, TokenEnv: "NO_TOKEN"}},
		{"--token-env a b: the name of a variable", Options{Repository: dir, TokenEnv: "a b"}},
		{"the configuration cannot be read", Options{Repository: dir, Config: file + "x"}},
	} {
		_, _, err := call(t, t.Context(), c.o)
		var usage cli.UsageError
		require.ErrorAs(t, err, &usage, c.want)
		require.ErrorContains(t, err, c.want)
	}
	_, _, err = call(t, t.Context(), Options{Repository: "file:///gone/gone"})
	require.ErrorContains(t, err, "cannot be read: ")
	var usage cli.UsageError
	require.NotErrorAs(t, err, &usage, "the arguments may be right")
}

// TestAFolderWithoutACommit checks what is said of a folder that is in no repository, or in one without a
// commit, and that a folder within a repository stands for it.
func TestAFolderWithoutACommit(t *testing.T) {
	ownTemp(t)
	folder := t.TempDir()
	_, _, err := call(t, t.Context(), Options{Repository: folder})
	var usage cli.UsageError
	require.ErrorAs(t, err, &usage)
	require.EqualError(t, err, "bobbin: "+folder+" is not in a git repository, and what is tried is what is "+
		"committed; name a folder that is in one, or begin one there: git init && git add -A && "+
		"git commit -m begin")
	require.NoError(t, exec.Command("git", "init", "-q", folder).Run())
	_, _, err = call(t, t.Context(), Options{Repository: folder})
	require.EqualError(t, err, folder+" has no commit yet, and what is tried is what is committed; make the "+
		"first one: git add -A && git commit -m begin")
	within := filepath.Join(folder, "a", "b")
	require.NoError(t, os.MkdirAll(within, 0o755))
	r, err := Options{Repository: within}.unconfigured(nil)
	require.NoError(t, err)
	require.Equal(t, folder, r.URL)
}

// TestAnInterruptLeavesNothingBehind ends the command while the tests run, and one that was killed before is
// tidied up after.
func TestAnInterruptLeavesNothingBehind(t *testing.T) {
	ownTemp(t)
	dir, _ := repotest.NewOrigin(t, repotest.Files{"Makefile": "test:\n\tsleep 6000\n"})
	abandoned := filepath.Join(os.TempDir(), folderPrefix+"1")
	require.NoError(t, os.MkdirAll(filepath.Join(abandoned, "cache"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(abandoned, lockName), nil, 0o644))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	steps := func(what string) {
		if strings.HasPrefix(what, "test: ") {
			cancel()
		}
	}
	_, _, err := call(t, ctx, Options{Repository: dir, Step: steps})
	require.ErrorIs(t, err, context.Canceled)
}

// TestFoldersOfKilledProgramsAreRemoved has a folder that a program was removing when it was killed, one in
// use, and one that is being made.
func TestFoldersOfKilledProgramsAreRemoved(t *testing.T) {
	ownTemp(t)
	old := time.Now().Add(-time.Hour)
	half := filepath.Join(os.TempDir(), folderPrefix+"half")
	fresh := filepath.Join(os.TempDir(), folderPrefix+"fresh")
	for _, dir := range []string{half, fresh} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, "cache"), 0o755))
	}
	require.NoError(t, os.Chtimes(half, old, old))
	used, remove, err := makeFolder(io.Discard)
	require.NoError(t, err)
	require.NoDirExists(t, half)
	require.DirExists(t, fresh, "its lock may be made at any moment")
	require.NoError(t, os.Chtimes(used, old, old))
	_, removeOther, err := makeFolder(io.Discard)
	require.NoError(t, err)
	require.DirExists(t, used, "it is in use")
	removeOther()
	remove()
	require.NoDirExists(t, used)
}

// TestTheBotsTokenStaysAtHome checks that the token of a configured remote is not sent to other addresses.
func TestTheBotsTokenStaysAtHome(t *testing.T) {
	con := cli.Console{Hide: redact.New(), Env: func(name string) string {
		return map[string]string{"BOBBIN_GIT_TOKEN": "token-of-the-bot", "MINE": "token-of-mine"}[name]
	}}
	for _, c := range []struct {
		o    Options
		want bool
	}{
		{Options{Repository: "https://git.example.com/shop"}, false},
		{Options{Repository: "https://git.example.com/shop", TokenEnv: "MINE"}, true},
	} {
		file, configured, err := c.o.choose(con)
		require.NoError(t, err)
		s, err := c.o.settings(file, configured, t.TempDir(), con)
		require.NoError(t, err)
		require.Equal(t, c.want, s.Repositories[0].Credentials != nil)
	}
}

// TestLinesAreAccepted reads the lines for the configuration with the bot's own reader.
func TestLinesAreAccepted(t *testing.T) {
	t.Parallel()
	for name, settings := range map[string][]trial.Setting{
		"scope": {{Key: []string{"scope"}, Value: "services/cart", Why: "the tests are there"}},
		"build": {{Key: []string{"checks", "build"}, Value: "true", Why: "left out"}},
		"limits": {
			{Key: []string{"checks", "memory"}, Value: "4 GB", Why: "a"},
			{Key: []string{"checks", "minutes"}, Value: 20, Why: "b"},
		},
		"all": {
			{Key: []string{"setup", "allow"}, Value: []string{"proxy.golang.org", "git.acme.com:8443"}},
			{Key: []string{"checks", "test"}, Value: `make test NAME="a: #b" \`, Why: "b"},
			{Key: []string{"setup", "minutes"}, Value: 30, Why: "c"},
			{Key: []string{"setup", "private"}, Value: []string{"npm.acme.internal"}, Why: "d"},
		},
	} {
		text := Lines(trial.Trial{Repository: "shop", URL: "/srv/shop.git", Settings: settings})
		file := filepath.Join(t.TempDir(), "bobbin.yaml")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o600))
		c, err := config.Load(file)
		require.NoError(t, err, "%s:\n%s", name, text)
		r := c.Repositories[0]
		switch name {
		case "limits":
			require.EqualValues(t, 4096, r.Checks.Memory)
			require.Equal(t, 20, r.Checks.Minutes)
		case "all":
			require.Equal(t, `make test NAME="a: #b" \`, r.Checks.Test)
			require.InDelta(t, 30, r.Setup.Minutes, 0)
			require.Equal(t, settings[0].Value, r.Setup.Allow)
			require.Equal(t, settings[3].Value, r.Setup.Private)
		default:
			require.Equal(t, settings[0].Value, cmp.Or(r.Scope, r.Checks.Build))
		}
	}
	require.Empty(t, Lines(trial.Trial{}))
}
