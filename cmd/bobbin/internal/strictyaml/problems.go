// Package strictyaml reads a YAML file that people write into a struct. A key that the struct does not
// have, a value of the wrong kind, an anchor or a second document is a problem with its line. Reading goes
// on after a problem, so that all problems are reported at once. The struct's fields have a tag yaml:"key";
// the caller adds its own checks to the same Problems.
//
// The YAML library's strict mode ends at the first problem, reads 1.5 as a whole number and "5" as a number,
// skips a second document and expands aliases. So only its syntax tree is used.
package strictyaml

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
)

// Problems collects what is wrong with a file, each problem with its line.
type Problems struct {
	name     string
	sections []Section
	lines    map[string]int    // line of each path in the file
	bad      map[string]bool   // paths whose value could not be read
	written  map[string]string // by new path: the path of the old key in the file
	names    map[string]string // by path of an item of a list: the path with the item's name
	oldKeys  []problem
	list     []problem

	// Hints say, by key, what a plain value means that is easily mistaken. They are added to its problems.
	Hints map[string]string
}

// A Section names a part of the file, for hints about where a key belongs.
type Section struct {
	Of   any // a struct with yaml tags
	Name string
}

// NewProblems returns an empty list of problems of the file of that name.
func NewProblems(name string, sections []Section) *Problems {
	return &Problems{
		name:     name,
		sections: sections,
		lines:    map[string]int{"$": 1},
		bad:      map[string]bool{},
		written:  map[string]string{},
		names:    map[string]string{},
	}
}

type problem struct {
	line   int // 0: the whole file
	reason string
}

// A Word is text that may look like a number.
type Word string

// Err returns all problems, one line each, in the order of the file; nil if there are none.
func (p *Problems) Err() error {
	if len(p.list) == 0 {
		return nil
	}
	slices.SortStableFunc(p.list, func(a, b problem) int {
		return cmp.Or(cmp.Compare(a.line, b.line), strings.Compare(a.reason, b.reason))
	})
	var lines []string
	for _, x := range p.list {
		where := p.name
		if x.line > 0 {
			where = fmt.Sprintf("%s:%d", p.name, x.line)
		}
		lines = append(lines, where+": "+x.reason)
	}
	return errors.New(strings.Join(lines, "\n"))
}

// Warning returns one line about all old keys in the file; empty if there are none.
func (p *Problems) Warning() string {
	if len(p.oldKeys) == 0 {
		return ""
	}
	var moves []string
	for _, k := range p.oldKeys {
		moves = append(moves, k.reason)
	}
	return fmt.Sprintf("%s:%d: old names, which are still read: %s", p.name, p.oldKeys[0].line,
		strings.Join(moves, ", "))
}

// OneOf adds a problem unless value is one of known.
func (p *Problems) OneOf(path, what, value string, known []string) {
	if !slices.Contains(known, value) {
		near := cli.DidYouMean(value, known)
		if near == "" {
			near = p.hint(path)
		}
		p.At(path, "unknown %s %q; one of %s%s", what, value, strings.Join(known, ", "), near)
	}
}

// hint returns what the key at the end of the path means, if it is easily mistaken.
func (p *Problems) hint(path string) string {
	if text := p.Hints[path[strings.LastIndexByte(path, '.')+1:]]; text != "" {
		return "; " + text
	}
	return ""
}

// InForm adds a problem for each item of the list that does not match form, or that is in the list twice.
func (p *Problems) InForm(at string, list []string, form *regexp.Regexp, want string) {
	for i, s := range list {
		path := fmt.Sprintf("%s[%d]", at, i)
		if !form.MatchString(s) {
			p.At(path, "%q is not %s", s, want)
		} else if slices.Contains(list[:i], s) {
			p.At(path, "%q is there twice; remove one", s)
		}
	}
}
