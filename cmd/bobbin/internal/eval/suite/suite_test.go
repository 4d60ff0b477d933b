package suite_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/eval/suite"
)

const sound = `-- sums/task.yaml --
title: Sums are one too large
language: python
kind: bug
report: 1 + 1 is 3 here
test: python3 -m unittest
-- sums/repo/sums.py --
def add(a, b):
    return a + b + 1
-- sums/hidden/test_sums.py --
assert True
-- sums/good.patch --
diff --git a/sums.py b/sums.py
--- a/sums.py
+++ b/sums.py
@@ -1,2 +1,2 @@
 def add(a, b):
-    return a + b + 1
+    return a + b
`

func write(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range txtar.Parse([]byte(text)).Files {
		name := filepath.Join(dir, f.Name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, f.Data, 0o644))
	}
	return dir
}

func TestReadASuite(t *testing.T) {
	t.Parallel()
	dir := write(t, sound)
	tasks, err := suite.Read(dir, "s*")
	require.NoError(t, err)
	require.Len(t, tasks, 1)
	task := tasks[0]
	require.Equal(t, "sums", task.Name)
	require.Equal(t, suite.Size{Added: 1, Removed: 1}, *task.Upstream)
	require.Equal(t, 3, *task.Answers)
	require.Equal(t, suite.Limits{Minutes: 60, Steps: 400}, task.Limits)

	// LayGood patches any given tree, and replaces a symbolic link that has the name of a hidden test.
	tree := t.TempDir()
	require.NoError(t, os.CopyFS(tree, os.DirFS(filepath.Join(dir, "sums", "repo"))))
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(tree, "test_sums.py")))
	root, err := os.OpenRoot(tree)
	require.NoError(t, err)
	defer root.Close()
	require.NoError(t, task.LayGood(root))
	text, err := os.ReadFile(filepath.Join(tree, "sums.py"))
	require.NoError(t, err)
	require.Equal(t, "def add(a, b):\n    return a + b\n", string(text))
	text, err = os.ReadFile(filepath.Join(tree, "test_sums.py"))
	require.NoError(t, err)
	require.Equal(t, "assert True\n", string(text))
	require.ErrorContains(t, task.LayGood(root), "good.patch: sums.py: ", "it is applied already")
}

func TestSuitesThatSayNothing(t *testing.T) {
	t.Parallel()
	instead := func(old, new string) string { return strings.Replace(sound, old, new, 1) }
	for want, text := range map[string]string{
		"is no suite: it has no folder with a task.yaml": "-- readme --\n",
		`task.yaml:5: unknown key "tset"`:                instead("test: ", "tset: "),
		"a task needs a test":                            instead("test: python3 -m unittest\n", ""),
		`unknown kind "chore"; one of bug, feature`:      instead("kind: bug", "kind: chore"),
		"there is no folder repo":                        instead("sums/repo/", "sums/other/"),
		"there is no folder hidden":                      instead("sums/hidden/", "sums/other/"),
		"a repository needs from and base": instead("test: ",
			"repository: {from: x.bundle}\ntest: "),
		"good.patch: no such file or directory": instead("sums/good.patch", "sums/better.patch"),
		"good.patch: it changes nothing":        instead("@@ -1,2 +1,2 @@", "@@"),
		"has to be named with small letters":    strings.ReplaceAll(sound, "sums/", "Sums_1/"),
		"a limit may not be below zero":         instead("test: ", "limits: {steps: -1}\ntest: "),
		"answers has to be between 0 and 10":    instead("test: ", "answers: 11\ntest: "),
	} {
		_, err := suite.Read(write(t, text), "*")
		require.ErrorContains(t, err, want)
	}
	_, err := suite.Read(write(t, sound), "x*")
	require.ErrorContains(t, err, `is named like "x*"; there are sums`)
	_, err = suite.Read(write(t, sound), "[")
	require.ErrorContains(t, err, "malformed")
	_, err = suite.Read("/no/such/suite", "*")
	require.EqualError(t, err, "/no/such/suite: the suite cannot be read: no such file or directory")
}

func TestTestsAreCountedApart(t *testing.T) {
	t.Parallel()
	code, tests := suite.Sizes("diff --git a/x.go b/x.go\n--- a/x.go\n+++ b/x.go\n@@ -1 +1,2 @@\n-a\n+b\n" +
		"+c\ndiff --git a/x_test.go b/x_test.go\nnew file mode 100644\n--- /dev/null\n+++ b/x_test.go\n" +
		"@@ -0,0 +1 @@\n+d\n")
	require.Equal(t, suite.Size{Added: 2, Removed: 1}, code)
	require.Equal(t, suite.Size{Added: 1}, tests)
}
