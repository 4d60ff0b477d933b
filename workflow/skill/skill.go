// Package skill reads skills: ways of working that an agent takes up for one kind of task,
// as text. A skill is a directory with a file SKILL.md, which begins with YAML front matter
// and goes on in Markdown:
//
//	---
//	name: tdd
//	description: One line that says when to load it.
//	---
//	The text that an agent is given when it loads the skill.
//
// The name is the directory's, of at most 64 small letters, digits and single dashes. The
// description is one line of at most 1,024 characters; it stands in the catalogue that
// agents see from the start. The body is not empty and has at most 64 KiB. With
// disable-model-invocation: true only a person's command starts the skill, and the
// catalogue leaves it out. Other keys are somebody else's and are passed over. Files beside
// SKILL.md are not read.
//
// Skills come from three places. The built-in ones are part of the program, and a malformed
// one of them must stop its start. The operator's may replace a built-in one. Those of a
// repository are advice by whoever wrote the repository: they replace nothing and permit
// nothing, and agents are told so wherever they meet one. A malformed skill of the last two
// is named in a [Problem] and left out.
package skill

import (
	"maps"
	"slices"
	"strings"
)

// Source is where a skill comes from.
type Source string

// The sources, the most trusted first.
const (
	Embedded   Source = "built-in"
	Operator   Source = "operator"
	Repository Source = "repository"
)

// A Skill is what a SKILL.md says.
type Skill struct {
	Name        string
	Description string // one line: when to load it
	Body        string // what an agent is given when it loads it
	Source      Source
	ByCommand   bool // only a person's command starts it
}

// A Problem is a skill that was left out, and what to do about it.
type Problem struct {
	Path   string // within the folder that was read
	Reason string // one line that ends with the cure
}

// String is one line.
func (p Problem) String() string { return quote(p.Path) + ": " + p.Reason }

// A Set is the skills that are in force, by name. It does not change.
type Set struct{ skills map[string]Skill }

// NewSet puts skills together. An operator's skill replaces the built-in one of its name. A
// repository's never replaces another: it is left out and named.
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
		return "the repository has two skills of this name, and the first is taken; rename the other's directory and its name"
	}
	return "a repository cannot replace the " + string(taken) + " skill of this name; rename its directory and its name"
}

// Find gives the skill of a name.
func (s Set) Find(name string) (Skill, bool) {
	found, ok := s.skills[name]
	return found, ok
}

// Names are all skills, those that only a command starts among them.
func (s Set) Names() []string { return slices.Sorted(maps.Keys(s.skills)) }

// Catalogue is the list for prompts: a line each, always alike for the same skills. Those
// that only a command starts are not for agents to choose, and are left out.
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
