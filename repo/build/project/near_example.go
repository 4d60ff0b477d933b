package project

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// maxExamples is how many files NearExample tries.
const maxExamples = 40

// NearExample returns one source file of the tree that has tests near it, and the commands for a change of
// that file. files are the paths of the tree's plain files. It returns false if there is no such file, or
// if the test command cannot be split.
func (p Project) NearExample(root fs.FS, files []string) (file string, parts Parts, ok bool) {
	candidates := p.besideTests(files)
	for _, file := range candidates[:min(len(candidates), maxExamples)] {
		if parts, ok := p.NearFirst(root, []string{file}); ok {
			return file, parts, true
		}
	}
	return "", Parts{}, false
}

// besideTests returns the source files with tests of their package or name, those near the top first.
func (p Project) besideTests(files []string) []string {
	tested := map[string]bool{} // folders in Go, stems in other languages
	of := testStem
	if p.Kind == "go" {
		of = path.Dir
	}
	for _, file := range files {
		if IsCase(p.Kind, file) {
			tested[of(file)] = true
		}
	}
	var out []string
	for _, file := range files {
		if tested[of(file)] && isSourceOf(p.Kind, file) && !DecidesTests(p.Kind, file) &&
			!containsAny(strings.Split(path.Dir(file), "/"), slices.Concat(foreign, besideCode)...) {
			out = append(out, file)
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return strings.Count(a, "/") - strings.Count(b, "/") })
	return out
}

// besideCode are the names of folders with sources that are not the project's own code.
var besideCode = []string{"examples", "example", "docs", "doc", "scripts", "benchmarks", "benchmark", "bench"}

// isSourceOf reports whether a file is code that tests of the kind have the name or the package of.
func isSourceOf(kind, file string) bool {
	if pattern, known := sourceOf[kind]; known {
		return pattern.MatchString(file)
	}
	return IsCode(file)
}

// sourceOf matches, by kind, the sources that tests have the name or the package of, where other code has the
// same names.
var sourceOf = map[string]*regexp.Regexp{
	"go":     regexp.MustCompile(`\.go$`),
	"node":   regexp.MustCompile(`\.[cm]?[jt]sx?$`),
	"python": regexp.MustCompile(`\.py$`),
}

var goTestCall = regexp.MustCompile(`\bgo test\b`)

// Afresh returns the project with tests that run even if the runner knows the result of an earlier run.
func (p Project) Afresh() Project {
	if !strings.Contains(p.Test, "-count") {
		p.Test = goTestCall.ReplaceAllString(p.Test, "go test -count=1")
		p.Written = goTestCall.ReplaceAllString(p.Written, "go test -count=1")
	}
	if p.Kind == "go" || p.Kind == "rust" { // the runners of these build what they test
		p.Build = ""
	}
	return p
}
