package project

import (
	"github.com/bobbinhq/bobbin/repo/project/command"
	"github.com/bobbinhq/bobbin/repo/project/named"
)

// findNamed is the project that any file names a test command for.
func findNamed(t tree) Project { return t.named("") }

// named is the first test command that a file of the tree names and whose runner is known; of a
// kind of project, where that is given.
func (t tree) named(kind string) Project {
	for _, source := range named.Sources {
		if p := t.namedIn(source, kind); p.Test != "" {
			return p
		}
	}
	for _, file := range t.globFiles(".github/workflows/*.yml", ".github/workflows/*.yaml") {
		if p := t.namedIn(named.Workflow(file), kind); p.Test != "" {
			return p
		}
	}
	return Project{}
}

func (t tree) namedIn(source named.Source, kind string) Project {
	for _, c := range source.Commands(t.readText(source.File)) {
		found, ok := command.Inside(c.Line, nil)
		if !ok || kind != "" && found.Kind != kind {
			continue
		}
		line := found.Line
		if found.Kind == "node" {
			line = nodePrograms + line
		}
		return Project{Kind: found.Kind, Build: findMake(t).Build, Test: line, From: c.From}
	}
	return Project{}
}
