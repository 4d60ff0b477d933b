package project

import (
	"github.com/bobbinhq/bobbin/repo/build/project/internal/command"
	"github.com/bobbinhq/bobbin/repo/build/project/internal/testcommands"
)

// findNamed returns the project for any test command that a file of the tree names.
func findNamed(t tree) Project { return t.named("") }

// named returns the project for the first test command with a known runner that a file of the tree names.
// If kind is not empty, only commands of that kind count.
func (t tree) named(kind string) Project {
	for _, source := range testcommands.Sources {
		if p := t.namedIn(source, kind); p.Test != "" {
			return p
		}
	}
	for _, file := range t.globFiles(".github/workflows/*.yml", ".github/workflows/*.yaml") {
		if p := t.namedIn(testcommands.Workflow(file), kind); p.Test != "" {
			return p
		}
	}
	return Project{}
}

func (t tree) namedIn(source testcommands.Source, kind string) Project {
	for _, c := range source.Commands(t.readText(source.File)) {
		found, ok := command.Inside(c.Line, nil)
		if !ok {
			found, ok = t.unittests(c.Line)
		}
		if !ok || kind != "" && found.Kind != kind {
			continue
		}
		return projectOf(found, findMake(t).Build, c.From)
	}
	return Project{}
}

func projectOf(found command.Found, build, from string) Project {
	p := Project{Kind: found.Kind, Build: build, Test: found.Line, From: from, Written: found.Written}
	if found.Kind == "node" {
		return p.withNodePrograms()
	}
	return p
}

// Named returns the project with the given test command. It returns false unless the line is one or more
// readable calls of a test runner, with nothing before them that could decide how they end.
func (p Project) Named(line, from string) (Project, bool) {
	found, ok := command.Inside(line, nil)
	return projectOf(found, p.Build, from), ok && found.Plain
}
