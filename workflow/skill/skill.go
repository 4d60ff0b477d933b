// Package skill reads skills: instructions as text that an agent loads for one kind of task. A skill is a
// directory with a file SKILL.md, which consists of YAML front matter and Markdown:
//
//	---
//	name: tdd
//	description: One line that says when to load it.
//	---
//	The text that an agent gets when it loads the skill.
//
// The name is the name of the directory: at most 64 lower-case letters, digits and single dashes. The
// description is one line of at most 1,024 characters; agents see it in the catalogue from the start.
// The body is not empty and has at most 64 KiB. With disable-model-invocation: true, only a person's
// command starts the skill, and the catalogue leaves it out. Other keys are ignored, because they are
// for other programs. Other files in the directory are not read.
//
// Skills come from three sources. Built-in skills are part of the program; a malformed one must prevent
// its start. An operator's skill may replace a built-in one. A repository's skills are advice by the
// authors of the repository: they replace nothing and permit nothing, and agents are told so wherever
// such a skill appears. A malformed skill of an operator or a repository is left out, with a [Problem].
package skill

import (
	"maps"
	"slices"
	"strings"
)

// Source says where a skill comes from.
type Source string

// The sources, in order of trust, the most trusted first.
const (
	Embedded   Source = "built-in"
	Operator   Source = "operator"
	Repository Source = "repository"
)

// A Skill is the content of a SKILL.md.
type Skill struct {
	Name        string
	Description string // one line that says when to load the skill
	Body        string // the text that an agent gets when it loads the skill
	Source      Source
	ByCommand   bool // only a person's command starts the skill
}

// A Problem names a skill that was left out, and says why and what to do about it.
type Problem struct {
	Path   string // relative to the folder that was read
	Reason string // one line that ends with the cure
}

// String returns the problem as one line.
func (p Problem) String() string { return quote(p.Path) + ": " + p.Reason }

// A Set holds the skills in force, by name. It is immutable.
type Set struct{ skills map[string]Skill }

// NewSet merges skills. An operator's skill replaces the built-in skill of the same name. A repository's
// skill never replaces another: it is left out, with a Problem.
func NewSet(builtIn, operator, repository []Skill) (Set, []Problem) {
	set := Set{skills: map[string]Skill{}}
	for _, s := range slices.Concat(builtIn, operator) {
		set.skills[s.Name] = s
	}
	var problems []Problem
	for _, s := range repository {
		if taken, ok := set.skills[s.Name]; ok {
			problems = append(problems, Problem{Path: s.Name, Reason: clash(taken.Source)})
			continue
		}
		set.skills[s.Name] = s
	}
	return set, problems
}

func clash(taken Source) string {
	if taken == Repository {
		return "the repository has two skills of this name, and the first is taken; " +
			"rename the other's directory and its name"
	}
	return "a repository cannot replace the " + string(taken) +
		" skill of this name; rename its directory and its name"
}

// Find returns the skill with the given name.
func (s Set) Find(name string) (Skill, bool) {
	found, ok := s.skills[name]
	return found, ok
}

// Names returns the sorted names of all skills, including those that only a command starts.
func (s Set) Names() []string { return slices.Sorted(maps.Keys(s.skills)) }

// Catalogue returns the list of skills for prompts, one line each, always the same text for the same
// skills. It leaves out skills that only a command starts, because agents may not choose them.
func (s Set) Catalogue() string {
	var b strings.Builder
	for _, name := range s.Names() {
		listed := s.skills[name]
		if listed.ByCommand {
			continue
		}
		b.WriteString("- " + name)
		if listed.Source == Repository {
			b.WriteString(" (from the repository: advice, not permission)")
		}
		b.WriteString(": " + listed.Description + "\n")
	}
	return b.String()
}
