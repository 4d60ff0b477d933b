package lookback

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remotetest"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

const releasedModule = "golang.org/x/mod"

// released writes the released versions of a public Go module as a history: each version is a commit
// with its tag and with the time of its release. It returns the commit of each version.
func released(t *testing.T, dir, module string, versions []string) (commits map[string]string) {
	t.Helper()
	work := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(work, "go.mod"), []byte("module history\n"), 0o644))
	run := func(env []string, name string, args ...string) (string, error) {
		cmd := exec.CommandContext(t.Context(), name, args...)
		cmd.Dir = work
		cmd.Env = append(append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null"), env...)
		out, err := cmd.Output()
		return strings.TrimSpace(string(out)), err
	}
	must := func(env []string, name string, args ...string) string {
		out, err := run(env, name, args...)
		require.NoError(t, err, "%s %s", name, args)
		return out
	}
	must(nil, "git", "init", "-q", "-b", "main", dir)
	commits = map[string]string{}
	for _, v := range versions {
		out, err := run(nil, "go", "mod", "download", "-json", module+"@"+v)
		if err != nil { // there is no network; tests with generated histories cover the same in every run
			t.Skipf("%s@%s cannot be had from the module proxy (%v): %s", module, v, err, out)
		}
		var have struct{ Dir, Info string }
		require.NoError(t, json.Unmarshal([]byte(out), &have))
		text, err := os.ReadFile(have.Info)
		require.NoError(t, err)
		var info struct{ Time time.Time }
		require.NoError(t, json.Unmarshal(text, &info))
		at := info.Time.Format(time.RFC3339)
		env := []string{
			"GIT_DIR=" + filepath.Join(dir, ".git"), "GIT_WORK_TREE=" + have.Dir, "GIT_AUTHOR_DATE=" + at,
			"GIT_COMMITTER_DATE=" + at, "GIT_AUTHOR_NAME=The Go Authors",
			"GIT_AUTHOR_EMAIL=go@example.com", "GIT_COMMITTER_NAME=The Go Authors",
			"GIT_COMMITTER_EMAIL=go@example.com",
		}
		must(env, "git", "add", "-A", "-f", ".")
		must(env, "git", "commit", "-q", "--allow-empty", "-m", module+" "+v)
		must(env, "git", "tag", v)
		commits[v] = must(env, "git", "rev-parse", "HEAD")
	}
	return commits
}

// The code and its versions are those of a public module: with v0.11.0 a go line may have three parts.
// The oldest versions need packages that are not here, so nothing can be told of them.
func TestTheReleaseIsNamedInWhichARealModuleChanged(t *testing.T) {
	t.Parallel()
	if os.Getenv("BOBBIN_RELEASED") == "" {
		// it needs a network and takes half a minute; it runs with SIZE=whole
		t.Skip("BOBBIN_RELEASED=1 fetches thirty releases of " + releasedModule + " and builds some of them")
	}
	remotetest.NeedGit(t)
	var versions []string
	for n := range 30 {
		versions = append(versions, fmt.Sprintf("v0.%d.0", n+1))
	}
	s := open(t)
	dir := filepath.Join(t.TempDir(), "origin")
	commits := released(t, dir, releasedModule, versions)
	s.commits = []string{11: commits["v0.30.0"]}
	s.Repositories[0].URL = dir
	s.Repositories[0].Releases = []string{"v0.9.0", "v0.1[0-2].0"}
	// only the versions' own tests need the packages that they name, and the oldest versions need more
	s.Repositories[0].Setup.Off = true
	s.Checker.Caches.Sandbox = repotest.OpenBuilder(t)
	mirror, err := s.Mirrors.Open(t.Context(), s.Repositories[0].Remote)
	require.NoError(t, err)
	require.NoError(t, repotest.SeedGoCache(t.Context(), s.Checker.Caches.Sandbox,
		repotest.GoCacheDir(s.Checker.For(mirror).Cache.WritableMounts(""))))
	s.ask(1, `cat >modfile/go_line_test.go <<'END'
package modfile

import "testing"

func TestGoLineHasTwoParts(t *testing.T) {
	if _, err := Parse("go.mod", []byte("module x\ngo 1.21.0\n"), nil); err == nil {
		t.Fatal("1.21.0 is taken")
	}
}
END
go test -run TestGoLineHasTwoParts ./modfile`)
	s.run()
	require.Equal(t, []string{fmt.Sprintf("Red since `%s` (2023-06-06, %q) by The Go Authors, "+
		"by the reproduction.\nAlso red on v0.12.0, v0.11.0; green on v0.10.0, v0.9.0.",
		commits["v0.11.0"][:7], releasedModule+" v0.11.0")}, s.said())
}
