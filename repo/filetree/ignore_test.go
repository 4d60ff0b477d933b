package filetree

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzIgnore: a .gitignore reads the same with either end of lines; comments and empty
// lines say nothing; and nothing is brought back without a "!".
func FuzzIgnore(f *testing.F) {
	for _, seed := range []string{"*.log\n!keep.log\n", "/build/\nnode_modules", "a/**/b", `\#x`, "[", "{a,b}", "**", "!", "  x  \\ ", "a//b", "\xff*", strings.Repeat("*", 50) + "x"} {
		f.Add(seed, "src/a.log", false)
		f.Add(seed, "node_modules", true)
	}
	f.Fuzz(func(t *testing.T, text, p string, folder bool) {
		if len(text) > 2000 || len(p) > 200 || strings.ContainsAny(text, "\r") {
			return
		}
		name := p[strings.LastIndexByte(p, '/')+1:]
		got := ParseIgnore(nil, "", text).Ignored(p, name, folder)
		require.Equal(t, got, ParseIgnore(nil, "", strings.ReplaceAll(text, "\n", "\r\n")).Ignored(p, name, folder))
		require.Equal(t, got, ParseIgnore(nil, "", "# "+strings.ReplaceAll(p, "\n", " ")+"\n\n"+text).Ignored(p, name, folder))
		require.True(t, ParseIgnore(nil, "", text+"\n**/*\n").Ignored("dir/x", "x", folder))
		if parent := ParseIgnore(nil, "", "*\n"); !strings.Contains(text, "!") {
			require.True(t, ParseIgnore(parent, "", text).Ignored("x", "x", folder))
		}
	})
}

var ignoreTree = map[string]string{
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

// plantTree writes the tree of the tests into a folder.
func plantTree(t *testing.T) (dir string, root *os.Root) {
	t.Helper()
	dir = t.TempDir()
	for name, data := range ignoreTree {
		p := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(p), 0o755))
		require.NoError(t, os.WriteFile(p, []byte(data), 0o644))
	}
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	return dir, root
}

// walked are the files that a walk visits.
func walked(t *testing.T, root *os.Root, start string) []string {
	var mu sync.Mutex
	var found []string
	w := &Walk{Root: root, Visit: func(_ int, _ *os.File, p string, e fs.DirEntry) {
		if !e.IsDir() {
			mu.Lock()
			found = append(found, p)
			mu.Unlock()
		}
	}}
	w.Run(t.Context(), start)
	slices.Sort(found)
	return found
}

func TestIgnore(t *testing.T) {
	t.Parallel()
	_, root := plantTree(t)
	require.Equal(t, []string{
		".gitignore", "12.tmp", "a", "a.gen", "b", "cached", "deep/x/stay", "deep/y/go", "docs/b.md", "docs/sub/c.txt", "foo/barn",
		"keep.log", "nested/.gitignore", "nested/a.log", "nested/in/own", "other/node_modules", "space", "sub/build", "sub/keep.log", "vendor/mine/m.go",
		"x/docs/a.txt", "z.dat",
	}, walked(t, root, "."))
	require.Equal(t, []string{"nested/.gitignore", "nested/a.log", "nested/in/own"}, walked(t, root, "nested"))
	require.Equal(t, []string{"node_modules/x.js"}, walked(t, root, "node_modules"), "what is named is looked at")
}

// The same tree in the eyes of git, where it is installed: ours must not differ.
func TestIgnoreAsGitDoes(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir, root := plantTree(t)
	cmd := exec.Command(program, "-c", "core.excludesFile=/dev/null", "ls-files", "-z", "--others", "--exclude-standard")
	cmd.Dir = dir
	cmd.Env = []string{"GIT_DIR=" + gitDir(t, program), "GIT_WORK_TREE=" + cmd.Dir, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1"}
	out, err := cmd.Output()
	require.NoError(t, err)
	want := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	slices.Sort(want)
	require.Equal(t, want, walked(t, root, "."))
}

func gitDir(t *testing.T, program string) string {
	dir := t.TempDir()
	require.NoError(t, exec.Command(program, "init", "-q", "--bare", dir).Run())
	require.NoError(t, exec.Command(program, "-C", dir, "config", "core.bare", "false").Run())
	return dir
}
