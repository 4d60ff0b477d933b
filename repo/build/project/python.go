package project

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

var (
	python = language{kind: "python", find: findPython, isTest: isPythonTest, code: pythonCode}
	// pythonFiles are tests in Python without a manifest.
	pythonFiles = language{kind: "python", find: findPythonFiles, code: pythonCode, loose: true}

	pythonCode = regexp.MustCompile(`\.(?:py|pyi|pyx)$`)
)

var pythonTest = regexp.MustCompile(`(?:^|/)(?:test_[^/]*|[^/]*_test|conftest)\.py$`)

func isPythonTest(file string, folders []string) bool {
	return pythonTest.MatchString(file) ||
		containsAny(folders, "test", "tests", "testing", "testdata", "fixtures")
}

// pythonCase matches the files in which Python's runners look for tests.
var pythonCase = regexp.MustCompile(`(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$`)

// srcLayout begins the test command if the package is in the folder src, because the tests run where
// nothing can be installed.
const srcLayout = "export PYTHONPATH=src${PYTHONPATH:+:$PYTHONPATH} && "

// underSrc matches Python in the folder src.
var underSrc = regexp.MustCompile(`^src/.*\.py$`)

func findPython(t tree) Project {
	if t.hasFile("pytest.ini") || t.hasFile("pyproject.toml") || t.hasFile("setup.py") ||
		t.hasFile("setup.cfg") || t.hasFile("tox.ini") ||
		t.hasFile("Pipfile") || len(t.globFiles("requirements*.txt")) > 0 {
		return t.pythonProject(t.findFiles(pythonCase))
	}
	return Project{}
}

func findPythonFiles(t tree) Project {
	if tests := t.findFiles(pythonCase); len(tests) > 0 {
		return t.pythonProject(tests)
	}
	return Project{}
}

func (t tree) pythonProject(tests []string) Project {
	p := Project{Kind: "python"}
	named := t.named("python")
	switch {
	case named.Test != "":
		p.Test = named.Test
		p.From = named.From
		p.Written = named.Written
	case t.usesPytest(tests):
		p.Test = "python3 -m pytest -q"
	case len(tests) > 0:
		p.Test = "python3 -m unittest discover -v" + t.unittestFlags(tests)
	default:
		return p
	}
	if len(t.findFiles(underSrc)) > 0 && !strings.Contains(t.readText("pyproject.toml"), "pythonpath") {
		p.Test = srcLayout + p.Test
		if p.Written != "" {
			p.Written = srcLayout + p.Written
		}
	}
	return p
}

func (t tree) usesPytest(tests []string) bool {
	if t.hasFile("pytest.ini") || t.hasFile("conftest.py") || t.hasFile("tests/conftest.py") {
		return true
	}
	files := append(t.globFiles("requirements*.txt", "requirements/*.txt"), "pyproject.toml", "setup.cfg",
		"setup.py", "tox.ini", "Pipfile")
	for _, name := range files {
		if strings.Contains(t.readText(name), "pytest") {
			return true
		}
	}
	// Only pytest runs plain functions as tests.
	for _, name := range tests[:min(len(tests), 20)] {
		text := t.readText(name)
		if strings.Contains(text, "import pytest") || strings.Contains("\n"+text, "\ndef test_") {
			return true
		}
	}
	return false
}

// unittestFlags returns the flags with the start folder of discovery, which does not enter folders that are
// not packages, and with the pattern for the files if its own one matches none of them.
func (t tree) unittestFlags(tests []string) (flags string) {
	start := "."
	for _, dir := range []string{"tests", "test"} {
		if t.hasDir(dir) && !t.hasFile(dir+"/__init__.py") &&
			slices.ContainsFunc(tests, func(file string) bool { return strings.HasPrefix(file, dir+"/") }) {
			start = dir
			break
		}
	}
	found := map[string][]string{} // the tests by the folder from which discovery finds them
	most := ""
	for _, file := range tests {
		dir := path.Dir(file)
		for dir != start && dir != "." && t.hasFile(dir+"/__init__.py") {
			dir = path.Dir(dir)
		}
		found[dir] = append(found[dir], file)
		if len(found[dir]) > len(found[most]) {
			most = dir
		}
	}
	if len(found[start]) == 0 {
		start = most
	}
	if start != "." {
		flags = " -s " + start
		if !plainPath.MatchString(start) {
			flags = " -s " + shellQuote(start)
		}
	}
	if !slices.ContainsFunc(found[start],
		func(file string) bool { return strings.HasPrefix(path.Base(file), "test") }) {
		flags += " -p '*_test.py'"
	}
	return flags
}

// plainPath matches a path that needs no quotes.
var plainPath = regexp.MustCompile(`^[\w./-]+$`)
