// Package strictyaml reads a YAML file that people write into a struct. A key that the struct does
// not have, a value of another kind, an anchor or a second document is a problem with its line.
// What can be read is read all the same, so that all problems are reported at once. The struct's
// fields have a tag yaml:"key"; a program adds its own checks to the same Problems.
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

// Problems are what is wrong with a file, each with its line.
type Problems struct {
	name     string
	sections []Section
	lines    map[string]int    // where each path of the file is
	bad      map[string]bool   // paths that hold something unreadable
	written  map[string]string // the paths of old keys, by where they belong now
	oldKeys  []problem
	list     []problem
}

// A Section is a part of the file, to say of a key where it belongs.
type Section struct {
	Of   any // a struct with yaml tags
	Name string
}

// NewProblems is for a file of that name.
func NewProblems(name string, sections []Section) *Problems {
	return &Problems{name: name, sections: sections, lines: map[string]int{"$": 1}, bad: map[string]bool{}, written: map[string]string{}}
}

type problem struct {
	line   int // 0: no line in particular
	reason string
}

// A Word is text that may look like a number.
type Word string

// Err is everything that was found, a line each, in the order of the file.
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

// Warning is one line about all keys that have another name now; empty: there are none.
func (p *Problems) Warning() string {
	if len(p.oldKeys) == 0 {
		return ""
	}
	var moves []string
	for _, k := range p.oldKeys {
		moves = append(moves, k.reason)
	}
	return fmt.Sprintf("%s:%d: old names, which are still read: %s", p.name, p.oldKeys[0].line, strings.Join(moves, ", "))
}

// OneOf adds a problem unless value is one of known.
func (p *Problems) OneOf(path, what, value string, known []string) {
	if !slices.Contains(known, value) {
		p.At(path, "unknown %s %q; one of %s%s", what, value, strings.Join(known, ", "), cli.DidYouMean(value, known))
	}
}

// InForm adds a problem for each of the list that has not the form, or is there twice.
func (p *Problems) InForm(at string, list []string, form *regexp.Regexp, want string) {
	for i, s := range list {
		path := fmt.Sprintf("%s[%d]", at, i)
		if !form.MatchString(s) {
			p.At(path, "%q is not %s", s, want)
		} else if slices.Contains(list[:i], s) {
			p.At(path, "%q is there twice", s)
		}
	}
}
