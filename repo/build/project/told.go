package project

import "github.com/bobbinhq/bobbin/repo/build/project/internal/command"

// Told returns the project with a test command that a person names. Unlike Named it takes any command, as
// the configuration does. from says who named it.
func (p Project) Told(line, from string) Project {
	if named, ok := p.Named(line, from); ok {
		return named
	}
	p.Test = line
	p.Written = ""
	p.From = from
	return p
}

// NamedByTree returns the project with a test command that an agent names and that the tree defines: a
// target of a Makefile, a script of the package, a file of the repository. It returns false for anything
// that the agent could have made up, such as a pipe or an echo. Only a run tells whether it finds tests.
func (p Project) NamedByTree(line, from string) (Project, bool) {
	if !command.CallsTree(line) {
		return p, false
	}
	return p.Told(line, from), true
}
