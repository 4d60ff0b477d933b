package tool

import (
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var ignoreTree = files{
	".gitignore": "# comment\n\n*.log\n!keep.log\n/build\nnode_modules/\ndocs/*.txt\n**/cache\nvendor/**\n!vendor/mine\n!vendor/mine/**\n" +
		"\\#odd\n\\!odd\nspace\\ \ntrailing   \n{a,b}\n?.tmp\n[xy].dat\nfoo/**/bar\n*~\nCRLF.txt\r\n/deep/x/*\n!/deep/x/stay\n",
	"a.log": "", "keep.log": "", "sub/b.log": "", "sub/keep.log": "",
	"build": "", "sub/build": "",
	"node_modules/x.js": "", "sub/node_modules/x.js": "", "other/node_modules": "",
	"docs/a.txt": "", "docs/b.md": "", "docs/sub/c.txt": "", "x/docs/a.txt": "",
	"cache/1": "", "deep/er/cache/2": "", "cached": "",
	"vendor/mine/m.go": "", "vendor/theirs/t.go": "", "vendor/f.go": "",
	"#odd": "", "!odd": "", "space ": "", "space": "", "trailing": "",
	"{a,b}": "", "a": "", "b": "", "1.tmp": "", "12.tmp": "", "x.dat": "", "z.dat": "",
	"foo/bar": "", "foo/1/2/bar": "", "foo/barn": "", "back~": "", "CRLF.txt": "",
	"nested/.gitignore": "*.gen\n!/a.log\n/own\n", "nested/a.gen": "", "nested/a.log": "", "nested/in/a.log": "", "nested/own": "", "nested/in/own": "", "a.gen": "",
	"deep/x/go": "", "deep/x/stay": "", "deep/y/go": "",
}

func walked(t *testing.T, b *Bench, start string) []string {
	var mu sync.Mutex
	var found []string
	w := &walk{root: b.Workspace.Root(), visit: func(_ int, _ *os.File, p string, e fs.DirEntry) {
		if !e.IsDir() {
			mu.Lock()
			found = append(found, p)
			mu.Unlock()
		}
	}}
	w.from(t.Context(), start)
	slices.Sort(found)
	return found
}

func TestIgnore(t *testing.T) {
	t.Parallel()
	b := newBench(t, files{"seed": ""})
	for name, data := range ignoreTree {
		b.put(t, name, data)
	}
	require.NoError(t, os.Remove(b.Workspace.Files()+"/seed"))
	require.Equal(t, []string{
		".gitignore", "12.tmp", "a", "a.gen", "b", "cached", "deep/x/stay", "deep/y/go", "docs/b.md", "docs/sub/c.txt", "foo/barn",
		"keep.log", "nested/.gitignore", "nested/a.log", "nested/in/own", "other/node_modules", "space", "sub/build", "sub/keep.log", "vendor/mine/m.go",
		"x/docs/a.txt", "z.dat",
	}, walked(t, b, "."))
	require.Equal(t, []string{"nested/.gitignore", "nested/a.log", "nested/in/own"}, walked(t, b, "nested"))
	require.Equal(t, []string{"node_modules/x.js"}, walked(t, b, "node_modules"), "what is named is looked at")
}

// The same tree in the eyes of git, where it is installed: ours must not differ.
func TestIgnoreAsGitDoes(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	b := newBench(t, files{"seed": ""})
	for name, data := range ignoreTree {
		b.put(t, name, data)
	}
	cmd := exec.Command(program, "-c", "core.excludesFile=/dev/null", "ls-files", "-z", "--others", "--exclude-standard")
	cmd.Dir = b.Workspace.Files()
	cmd.Env = []string{"GIT_DIR=" + gitDir(t, program), "GIT_WORK_TREE=" + cmd.Dir, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.Output()
	require.NoError(t, err)
	want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	slices.Sort(want)
	require.Equal(t, want, walked(t, b, "."))
}

func gitDir(t *testing.T, program string) string {
	dir := t.TempDir()
	require.NoError(t, exec.Command(program, "init", "-q", "--bare", dir).Run())
	require.NoError(t, exec.Command(program, "-C", dir, "config", "core.bare", "false").Run())
	return dir
}
