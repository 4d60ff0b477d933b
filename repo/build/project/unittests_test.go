package project

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestUnittestsAreNamedHoweverTheyAreCalled(t *testing.T) {
	t.Parallel()
	tree := fstest.MapFS{
		"tests/__main__.py":   {Data: []byte("import unittest\nfrom .test_a import *\n\nif __name__ == '__main__':\n    unittest.main()\n")},
		"server/run_tests.py": {Data: []byte("from unittest import main\n\nmain(module='tests')\n")},
		"own/__main__.py":     {Data: []byte("import argparse, unittest\n\nunittest.main()\n")},
		"app.py":              {Data: []byte("def main():\n    pass\n\n\nmain()\n")},
	}
	for line, want := range map[string]string{
		"python3 -m unittest":                           "python3 -m unittest -v",
		"python3 -m unittest discover -s tests":         "python3 -m unittest discover -v -s tests",
		"python3 -W ignore -m unittest discover":        "python3 -W ignore -m unittest discover",
		"python3 -Wd -m unittest tests.test_a":          "python3 -Wd -m unittest -v tests.test_a",
		"python3 -m tests":                              "python3 -m tests -v",
		"export A=b && python -m tests TestA && make x": "export A=b && python -m tests -v TestA && make x",
		"cd server && python3.12 run_tests.py":          "cd server && python3.12 run_tests.py -v",
		"cd 'server' && python3 ./run_tests.py":         "cd 'server' && python3 ./run_tests.py -v",
		// These already have such a flag, or are no unittest.
		"python3 -m unittest -q": "python3 -m unittest -q", "python3 -m tests -v": "python3 -m tests -v", "python3 -m own": "python3 -m own",
		"python3 app.py": "python3 app.py", "python3 -m no_such": "python3 -m no_such", "python3 ../x.py": "python3 ../x.py", "python3 -m pytest": "python3 -m pytest", "go test ./...": "go test ./...",
	} {
		require.Equal(t, want, NamingUnittests(tree, line), line)
	}
	tree["tox.ini"] = &fstest.MapFile{Data: []byte("[testenv]\ncommands =\n    python -m tests {posargs}\n")}
	require.Equal(t, Project{Kind: "python", Test: "python3 -m tests -v", From: "tox.ini", Written: "python3 -m tests"}, Find(tree))
}
