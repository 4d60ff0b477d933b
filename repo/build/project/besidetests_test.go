package project

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestFilesThatDecideTests(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]bool{
		"cart/cart_test.go":          true,
		"cart/testdata/a.json":       true,
		"golden/cart.golden":         true,
		"web/__snapshots__/a.snap":   true,
		"internal/testutil/equal.go": true,
		"test_helpers.rb":            true,
		"src/setupTests.ts":          true,
		"jest.setup.js":              true,
		"conftest.py":                true,
		"pytest.ini":                 true,
		"web/vitest.config.ts":       true,
		".mocharc.yml":               true,
		"lib/assert.js":              true,
		".npmrc":                     true,
		".env.test":                  true,
		"test/mocha.opts":            true,
		"spec/fixtures/x.yml":        true,
		"tox.ini":                    true,
		"cart/cart.go":               false,
		"web/cart.ts":                false,
		"contest/rank.go":            false,
		"latest.py":                  false,
		"package.json":               false,
		"README.md":                  false,
		"assertive/x.go":             false,
		"lib/support.js":             false,
		"src/settings.py":            false,
	} {
		require.Equal(t, want, DecidesTests("", file), file)
	}
}

func TestHelpersAndDataOfTests(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"import (\n\t\"testing\"\n)\n":                     true,
		"import \"github.com/stretchr/testify/require\"\n": true,
		"import pytest\n":                                  true,
		"from unittest import mock\n":                      true,
		"import { test } from 'node:test';":                true,
		"const { expect } = require('chai')":               true,
		"use Test::More;\n":                                true,
		"import \"fmt\"\n":                                 false,
		"import assert from 'node:assert'":                 false,
		"// is testing\n":                                  false,
		"import testing_tools\n":                           false,
	} {
		require.Equal(t, want, UsesTestLibrary(text), text)
	}
	files := fstest.MapFS{
		"cart/cart.go": {Data: []byte("package cart\n\nconst rates = \"rates.json\"\n")},
		"cart/cart_test.go": {
			Data: []byte("package cart\n\nconst want, rate = \"want.json\", \"rates.json\"\n"),
		},
	}
	require.True(t, ReadByTestsAlone(files, "go", "cart/want.json"))
	require.False(t, ReadByTestsAlone(files, "go", "cart/rates.json"), "the code reads it, too")
	require.False(t, ReadByTestsAlone(files, "go", "cart/other.json"))
}

func TestTestSettingsAreSplicedAlone(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, older, newer, want string }{
		"a script that leaves a test out": {
			"package.json", `{"scripts":{"test":"node --test","build":"a"},"dependencies":{}}`,
			`{"scripts":{"test":"node --test a.js","build":"b"},"dependencies":{"x":"1"}}`,
			"{\n  \"dependencies\": {\n    \"x\": \"1\"\n  },\n  \"scripts\": {\n    \"build\": \"b\",\n " +
				"   \"test\": \"node --test\"\n  }\n}\n",
		},
		"settings of jest that are new": {
			"web/package.json", `{"scripts":{"test":"jest"}}`,
			`{"scripts":{"test":"jest"},"jest":{"testPathIgnorePatterns":["cart"]}}`,
			"{\n  \"scripts\": {\n    \"test\": \"jest\"\n  }\n}\n",
		},
		"a dependency": {
			"package.json", `{"scripts":{"test":"jest"}}`,
			`{"scripts":{"test":"jest"},"dependencies":{"x":"1"}}`,
			`{"scripts":{"test":"jest"},"dependencies":{"x":"1"}}`,
		},
		"settings of jest in a new package": {
			"web/package.json", "", `{"scripts":{"test":"jest"},"jest":{"setupFiles":["./a.js"]}}`,
			"{\n  \"scripts\": {\n    \"test\": \"jest\"\n  }\n}\n",
		},
		"a new package": {
			"web/package.json", "", `{"scripts":{"test":"jest"}}`, `{"scripts":{"test":"jest"}}`,
		},
		"options of pytest in a new file": {
			"setup.cfg", "", "[metadata]\nname = a\n\n[tool:pytest]\naddopts = -p patch\n",
			"[metadata]\nname = a\n\n",
		},
		"pytest's options": {
			"pyproject.toml", "[project]\nname = 'a'\n\n[tool.pytest.ini_options]\naddopts = '-q'\n",
			"[project]\nname = 'b'\n\n[tool.pytest.ini_options]\naddopts = '-q --deselect a'\n",
			"[project]\nname = 'b'\n\n[tool.pytest.ini_options]\naddopts = '-q'\n",
		},
		"a dependency of Python": {
			"pyproject.toml", "[project]\nname = 'a'\n", "[project]\nname = 'b'\n", "[project]\nname = 'b'\n",
		},
		"tests of a crate that are off": {
			"Cargo.toml", "[package]\nname = \"a\"\n\n[lib]\nname = \"a\"\n",
			"[package]\nname = \"a\"\n\n[lib]\nname = \"a\"\ntest = false\n\n[dependencies]\nx = \"1\"\n",
			"[package]\nname = \"a\"\n\n[lib]\nname = \"a\"\n\n[dependencies]\nx = \"1\"\n\n",
		},
		"a rule of make": {
			"Makefile", "OBJ = a.o\n\ntest: a\n\tsh one.sh\n\tsh two.sh\n\nclean:\n\trm a\n",
			"OBJ = a.o b.o\n\ntest: a\n\tsh one.sh\n\nclean:\n\trm a b\n",
			"OBJ = a.o b.o\n\ntest: a\n\tsh one.sh\n\tsh two.sh\n\nclean:\n\trm a b\n",
		},
		"a list of tests": {
			"Makefile.am", "TESTS = one \\\n  two\nbin = a\n", "TESTS = one\nbin = a b\n",
			"TESTS = one \\\n  two\nbin = a b\n",
		},
		"another rule": {
			"Makefile", "a:\n\tcc\n\ntest:\n\tsh t\n", "a:\n\tcc -O2\n\ntest:\n\tsh t\n",
			"a:\n\tcc -O2\n\ntest:\n\tsh t\n",
		},
		"vite's tests": {
			"vite.config.ts", "{ plugins: [], test: { globals: true } }",
			"{ plugins: [], test: { exclude: ['cart'] } }", "{ plugins: [], test: { globals: true } }",
		},
	} {
		require.True(t, HasTestSettings(c.file), name)
		require.Equal(t, c.want, SpliceTestSettings(c.file, c.older, c.newer), name)
	}
	require.False(t, HasTestSettings("go.mod"))
}

func TestWhichNewTestsMaySetWhatOthersUse(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{
		"cart/cart_test.go": {}, "cart/new_test.go": {}, "tax/new_test.go": {}, "[a]/old_test.go": {},
		"[a]/new_test.go": {},
	}
	isNew := func(file string) bool { return strings.Contains(file, "new") }
	for _, c := range []struct {
		kind, command, file string
		want                bool
	}{
		{"go", "go test -json ./...", "cart/new_test.go", true},
		{"go", "go test -json ./...", "tax/new_test.go", false},
		{"go", "go test -json ./...", "[a]/new_test.go", true},
		{"rust", "cargo test", "tests/half.rs", false},
		{"rust", "cargo test", "tests/common/mod.rs", true},
		{"node", "node --test", "a.test.js", false},
		{"node", "node --test", "test/setup.js", true},
		{"node", "node --test --test-isolation=none", "a.test.js", true},
		{"node", "npm test -- --verbose", "a.test.js", true},
		{"python", "python3 -m pytest -q", "tests/test_a.py", true},
		{"", "make test", "t/a.t", true},
	} {
		require.Equal(t, c.want,
			Project{Kind: c.kind, Test: c.command}.SharesProcess(files, c.file, isNew), c)
	}
}
