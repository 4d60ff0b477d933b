package project

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// FuzzProject checks that, whatever a repository contains, its build and test commands are single lines and
// the same each time, and that a folder's name in them is only an argument.
func FuzzProject(f *testing.F) {
	for name, seed := range map[string]string{
		"package.json": `{"scripts":{"build":"tsc","test":"vitest"},"devDependencies":{"vitest":"1"},` +
			`"packageManager":"pnpm@9"}`,
		"Makefile":         "test: build\n\tgo test\n.PHONY: test\nbuild:\n",
		"pyproject.toml":   "[tool.pytest.ini_options]\n",
		"go.mod":           "module x\n\ngo 1.26\n",
		"Cargo.toml":       "[package]\nname = 'x'\n",
		"requirements.txt": "pytest\n",
		"deno.json":        "{",
		"composer.json":    `{"scripts":{"test":["phpunit"]},"require-dev":{"phpunit/phpunit":"11"}}`,
	} {
		f.Add(name, seed, "svc")
		f.Add(name, strings.ToUpper(seed), "a'b; rm -rf $HOME")
	}
	f.Fuzz(func(t *testing.T, name, text, folder string) {
		if name == "" || folder == "" || folder == "." || folder == ".." ||
			strings.ContainsAny(name+folder, "/\x00") || name == "." || name == ".." {
			return
		}
		tree := fstest.MapFS{
			name:              {Data: []byte(text)},
			"x_test.go":       {Data: []byte("package x\n")},
			"tests/test_x.py": {Data: []byte("import unittest\n")},
		}
		p := Find(tree)
		require.Equal(t, p, Find(tree))
		require.False(t, strings.ContainsAny(p.Build+p.Test, "\n\x00"), "%q", p)
		readMember("node", text)
		readMember("rust", text)
		below := fstest.MapFS{
			folder + "/" + name:   {Data: []byte(text)},
			folder + "/x_test.go": {Data: []byte("package x\n")},
		}
		if q := Find(below); q.Test != "" {
			require.True(t, strings.HasPrefix(q.Test, "cd "+shellQuote(folder)+" && "), q.Test)
		}
		inner := strings.ReplaceAll(shellQuote(folder), `'\''`, "")
		require.Equal(t, 2, strings.Count(inner, "'"), inner)
	})
}

// FuzzTestSettings checks that the settings of tests are spliced whatever both files
// contain, the same each time.
func FuzzTestSettings(f *testing.F) {
	for name, seed := range map[string]string{
		"package.json":   `{"scripts":{"test":"jest"},"jest":{"testPathIgnorePatterns":["a"]}}`,
		"pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-k x'\n[project]\nname = 'x'\n",
		"Makefile":       "test: build\n\tgo test ./...\n", "setup.cfg": "[tool:pytest]\naddopts = -x\n",
	} {
		f.Add(name, seed, strings.ToUpper(seed))
		f.Add(name, seed, "{")
	}
	f.Fuzz(func(t *testing.T, name, older, newer string) {
		if !HasTestSettings(name) {
			return
		}
		spliced := SpliceTestSettings(name, older, newer)
		require.Equal(t, spliced, SpliceTestSettings(name, older, newer))
	})
}
