package project

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project/internal/command"
	"github.com/bobbinhq/bobbin/repo/build/project/internal/testcommands"
)

// builtFirst are the kinds whose test command needs a build that only their manifest tells.
var builtFirst = []string{"make", "cmake", "meson", "java"}

// findNamed returns the project for any test command that a file of the tree names, but not of the kinds in
// builtFirst.
func findNamed(t tree) Project { return t.named("") }

// named returns the project for the first test command with a known runner that a file of the tree names.
// If kind is not empty, only commands of that kind count.
func (t tree) named(kind string) Project {
	for _, source := range append(slices.Clone(testcommands.Sources), t.ciSources()...) {
		if p := t.namedIn(source, kind); p.Test != "" {
			return p
		}
	}
	return Project{}
}

func (t tree) namedIn(source testcommands.Source, kind string) Project {
	for _, c := range source.Commands(t.readText(source.File)) {
		found, ok := t.testCommand(c.Line)
		if !ok || kind != "" && found.Kind != kind || kind == "" && slices.Contains(builtFirst, found.Kind) {
			continue
		}
		return projectOf(found, findMake(t).Build, c.From)
	}
	return Project{}
}

// testCommand returns the call of a runner inside a line.
func (t tree) testCommand(line string) (command.Found, bool) {
	if found, ok := command.Inside(line, nil); ok {
		return found, true
	}
	return t.unittests(line)
}

// lateCI matches the names of the CI's files that mostly test something else than the code.
var lateCI = regexp.MustCompile(`(?i)release|publish|deploy|docs?\b|lint|` +
	`fuzz|bench|codeql|coverage|nightly|` +
	`spell|stale|docker|security|package`)

// ciSources returns the files of CI services, those first that say most about the tests.
func (t tree) ciSources() (out []testcommands.Source) {
	files := t.globFiles(testcommands.CIFiles...)
	slices.SortStableFunc(files, func(a, b string) int { return ciRank(a) - ciRank(b) })
	for _, file := range files {
		out = append(out, testcommands.Workflow(file))
	}
	return out
}

func ciRank(file string) int {
	if lateCI.MatchString(path.Base(file)) {
		return 1
	}
	return 0
}

// buildsBeforeTests match, by kind, the builds that may be tested by targets of make.
var buildsBeforeTests = map[string]*regexp.Regexp{
	"cmake":     regexp.MustCompile(`(?:^|&& |; )cmake `),
	"autotools": regexp.MustCompile(`(?:^|/|&& |; )(?:configure|autoreconf|autogen\.sh)(?: |$)`),
}

// testedByCI returns the kinds of project whose test command the CI runs.
func (t tree) testedByCI() map[string]bool {
	kinds := map[string]bool{}
	for _, source := range t.ciSources() {
		for _, c := range source.Commands(t.readText(source.File)) {
			if found, ok := t.testCommand(c.Line); ok {
				kinds[found.Kind] = true
			}
			for kind, builds := range buildsBeforeTests {
				if builds.MatchString(c.Line) {
					kinds[kind] = true
				}
			}
		}
	}
	return kinds
}

func projectOf(found command.Found, build, from string) Project {
	p := Project{Kind: found.Kind, Build: build, Test: found.Line, From: from, Written: found.Written}
	switch found.Kind {
	case "node":
		return p.withNodePrograms()
	case "php":
		if strings.HasPrefix(p.Test, "phpunit") || strings.HasPrefix(p.Test, "pest") {
			p.Test = phpPrograms + p.Test
			p.Written = phpPrograms + p.Written
		}
	}
	return p
}

// Named returns the project with the given test command. It returns false unless the line is one or more
// readable calls of a test runner, with nothing before them that could decide how they end.
func (p Project) Named(line, from string) (Project, bool) {
	found, ok := command.Inside(line, nil)
	return projectOf(found, p.Build, from), ok && found.Plain
}
