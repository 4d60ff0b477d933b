package disk

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzIgnore checks that a .gitignore means the same with either line end, that comments and empty
// lines have no effect, and that nothing is included again without a "!".
func FuzzIgnore(f *testing.F) {
	for _, seed := range []string{
		"*.log\n!keep.log\n", "/build/\nnode_modules", "a/**/b", `\#x`, "[", "{a,b}", "**", "!", "  x  \\ ",
		"a//b", "\xff*", strings.Repeat("*", 50) + "x",
	} {
		f.Add(seed, "src/a.log", false)
		f.Add(seed, "node_modules", true)
	}
	f.Fuzz(func(t *testing.T, text, p string, folder bool) {
		if len(text) > 2000 || len(p) > 200 || strings.ContainsAny(text, "\r") {
			return
		}
		name := p[strings.LastIndexByte(p, '/')+1:]
		got := parseIgnore(nil, "", text).IsIgnored(p, name, folder)
		require.Equal(t, got,
			parseIgnore(nil, "", strings.ReplaceAll(text, "\n", "\r\n")).IsIgnored(p, name, folder))
		require.Equal(t, got, parseIgnore(nil, "",
			"# "+strings.ReplaceAll(p, "\n", " ")+"\n\n"+text).IsIgnored(p, name, folder))
		require.True(t, parseIgnore(nil, "", text+"\n**/*\n").IsIgnored("dir/x", "x", folder))
		if parent := parseIgnore(nil, "", "*\n"); !strings.Contains(text, "!") {
			require.True(t, parseIgnore(parent, "", text).IsIgnored("x", "x", folder))
		}
	})
}

// FuzzIgnoreFile checks that a .gitignore with any content can be read, and that a link in its place
// has no effect.
func FuzzIgnoreFile(f *testing.F) {
	for _, seed := range []string{
		"*.log\n!keep\n", "/a/\n\n# b\n", "[", strings.Repeat("x", 100_000), "\xff\x00", "**/**/**/a\n",
	} {
		f.Add([]byte(seed), "a/b.log")
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte, path string) {
		at := filepath.Join(dir, fmt.Sprint(os.Getpid()))
		require.NoError(t, os.MkdirAll(at, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(at, ".gitignore"), text, 0o600))
		d, err := os.Open(at)
		require.NoError(t, err)
		defer d.Close()
		g := ReadIgnore(nil, "", d)
		if g != nil {
			require.LessOrEqual(t, len(g.rules), 1+bytes.Count(text, []byte("\n")))
		}
		g.IsIgnored(path, path[strings.LastIndexByte(path, '/')+1:], false)
		require.NoError(t, os.Rename(filepath.Join(at, ".gitignore"), filepath.Join(at, "elsewhere")))
		require.NoError(t, os.Symlink("elsewhere", filepath.Join(at, ".gitignore")))
		require.Nil(t, ReadIgnore(nil, "", d))
		require.NoError(t, os.Remove(filepath.Join(at, ".gitignore")))
	})
}

// randomIgnores returns random .gitignore files and paths of files and folders, the same each time. A
// path that ends with a slash is a folder.
func randomIgnores() (ignores []string, paths []string) {
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	for range 600 {
		text := pick("", "", "", "*\n", "a*\n!ab\n", "/*/\n")
		for range 1 + r.IntN(2) {
			text += pick("", "", "", "", "!", "/", "**/", "\\!", "# ", "\\#")
			for range 1 + r.IntN(5) {
				text += pick("a", "b", "ab", "a.b", "*", "*", "**", "?", "/", "/", "/**/", "[ab]", "[!a]",
					"[a-b", "[]b]", "[^]-b]", "[[:alpha:]]", "[[:x:]]", "[[:alpha:", "\\a", "\\*", "\\",
					"\\/", "{a,b}", "-", " ", "é", "[é]")
			}
			text += pick("", "", "", "/", "/**", " ", "\\ ", "\r") + "\n"
		}
		ignores = append(ignores, text)
	}
	for _, folder := range []string{"", "a/", "ab/", "b/a/", "a.b/b/ab/", "*/"} {
		for at := folder; at != ""; at = at[:strings.LastIndexByte(at[:len(at)-1], '/')+1] {
			paths = append(paths, at)
		}
		for _, name := range []string{
			"a.a", "ba", "abb", "b b", "-", "!a", "#a", "\\", "]", "[", "{a,b}", "é", "a ", "x",
		} {
			paths = append(paths, folder+name)
		}
	}
	slices.Sort(paths)
	return ignores, slices.Compact(paths)
}

// judgeRandom returns each of the paths that Ignore excludes, as I<number>/<path>.
func judgeRandom(ignores, paths []string) (ignored []string) {
	for i, text := range ignores {
		g := parseIgnore(nil, "", text)
		for _, p := range paths {
			p, top := strings.CutSuffix(p, "/")
			for at, c := range p + "/" { // an excluded folder excludes its content
				if c == '/' &&
					g.IsIgnored(p[:at], p[strings.LastIndexByte(p[:at], '/')+1:at], top || at < len(p)) {
					ignored = append(ignored, fmt.Sprintf("I%d/%s", i, p))
					break
				}
			}
		}
	}
	return ignored
}

// TestIgnoreOfRandomRules compares Ignore with git's recorded answers for the same rules and paths, by
// a digest, and with git itself if it is installed.
func TestIgnoreOfRandomRules(t *testing.T) {
	t.Parallel()
	ignores, paths := randomIgnores()
	got := judgeRandom(ignores, paths)
	t.Logf("%d rules and paths, %d left out", len(ignores)*len(paths), len(got))
	if program, err := exec.LookPath("git"); err == nil {
		want := judgeWithGit(t, program, ignores, paths)
		for _, p := range got {
			if !slices.Contains(want, p) {
				n, _ := strconv.Atoi(p[1:strings.IndexByte(p, '/')])
				t.Errorf("git looks at %q under %q", p, ignores[n])
			}
		}
		for _, p := range want {
			if !slices.Contains(got, p) {
				n, _ := strconv.Atoi(p[1:strings.IndexByte(p, '/')])
				t.Errorf("git leaves out %q under %q", p, ignores[n])
			}
		}
	}
	require.Equal(t, recordedIgnores, fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(got, "\n")))))
}

const recordedIgnores = "89a0d7292cff1e85d7c1d81a487887bd6d574bcc4db2b33ff413833ae072fe33"

// judgeWithGit does what judgeRandom does, with git check-ignore.
func judgeWithGit(t *testing.T, program string, ignores, paths []string) []string {
	dir := t.TempDir()
	var asked bytes.Buffer
	for i, text := range ignores {
		top := fmt.Sprintf("I%d/", i)
		require.NoError(t, os.Mkdir(filepath.Join(dir, top), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, top, ".gitignore"), []byte(text), 0o644))
		for _, p := range paths {
			if strings.HasSuffix(p, "/") {
				require.NoError(t, os.MkdirAll(filepath.Join(dir, top, p), 0o755))
			}
			asked.WriteString(top + strings.TrimSuffix(p, "/") + "\x00")
		}
	}
	cmd := exec.Command(program, "-c", "core.excludesFile=/dev/null", "check-ignore", "--no-index",
		"-z", "--stdin")
	cmd.Dir = dir
	cmd.Stdin = &asked
	cmd.Env = []string{
		"GIT_DIR=" + gitDir(t, program), "GIT_WORK_TREE=" + dir, "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_CONFIG_NOSYSTEM=1",
	}
	out, err := cmd.Output()
	require.NoError(t, err)
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

var ignoreTree = map[string]string{
	".gitignore": "# comment\n\n*.log\n!keep.log\n/build\nnode_modules/\ndocs/*.txt\n**/cache\nvendor/**\n" +
		"!vendor/mine\n!vendor/mine/**\n" +
		"\\#odd\n\\!odd\nspace\\ \ntrailing   \n{a,b}\n?.tmp\n[xy].dat\nfoo/**/bar\n*~\nCRLF.txt\r\n" +
		"/deep/x/*\n!/deep/x/stay\n",
	"a.log": "", "keep.log": "", "sub/b.log": "", "sub/keep.log": "",
	"build": "", "sub/build": "",
	"node_modules/x.js": "", "sub/node_modules/x.js": "", "other/node_modules": "",
	"docs/a.txt": "", "docs/b.md": "", "docs/sub/c.txt": "", "x/docs/a.txt": "",
	"cache/1": "", "deep/er/cache/2": "", "cached": "",
	"vendor/mine/m.go": "", "vendor/theirs/t.go": "", "vendor/f.go": "",
	"#odd": "", "!odd": "", "space ": "", "space": "", "trailing": "",
	"{a,b}": "", "a": "", "b": "", "1.tmp": "", "12.tmp": "", "x.dat": "", "z.dat": "",
	"foo/bar": "", "foo/1/2/bar": "", "foo/barn": "", "back~": "", "CRLF.txt": "",
	"nested/.gitignore": "*.gen\n!/a.log\n/own\n", "nested/a.gen": "", "nested/a.log": "",
	"nested/in/a.log": "", "nested/own": "", "nested/in/own": "", "a.gen": "",
	"deep/x/go": "", "deep/x/stay": "", "deep/y/go": "",
}

// plantTree writes ignoreTree into a new folder.
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

// walked returns the files that a walk visits, sorted.
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
		".gitignore", "12.tmp", "a", "a.gen", "b", "cached", "deep/x/stay", "deep/y/go", "docs/b.md",
		"docs/sub/c.txt", "foo/barn", "keep.log", "nested/.gitignore", "nested/a.log", "nested/in/own",
		"other/node_modules", "space", "sub/build", "sub/keep.log", "vendor/mine/m.go", "x/docs/a.txt",
		"z.dat",
	}, walked(t, root, "."))
	require.Equal(t, []string{"nested/.gitignore", "nested/a.log", "nested/in/own"},
		walked(t, root, "nested"))
	require.Equal(t, []string{"node_modules/x.js"}, walked(t, root, "node_modules"),
		"what is named is looked at")
}

// A walk visits exactly the files that git lists in the same tree, if git is installed.
func TestIgnoreAsGitDoes(t *testing.T) {
	t.Parallel()
	program, err := exec.LookPath("git")
	if err != nil {
		// git is what the walk is compared with; the product itself needs none here.
		t.Skip("git is not installed")
	}
	dir, root := plantTree(t)
	cmd := exec.Command(program, "-c", "core.excludesFile=/dev/null", "ls-files", "-z", "--others",
		"--exclude-standard")
	cmd.Dir = dir
	cmd.Env = []string{
		"GIT_DIR=" + gitDir(t, program), "GIT_WORK_TREE=" + cmd.Dir, "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_CONFIG_NOSYSTEM=1",
	}
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
