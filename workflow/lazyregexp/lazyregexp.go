// Package lazyregexp provides regular expressions that are compiled at their first use. The program has
// about eighty for text that people write. To compile all of them takes 6 MB and a fifth of the program's
// start time, even if it only prints its version. It also reads files of expressions, one per line: see
// Forms.
package lazyregexp

import (
	"regexp"
	"regexp/syntax"
	"sync"
)

// A Regexp is a regexp.Regexp that is compiled at its first use. It is safe for concurrent use.
//
// Most texts contain none of the words that a match of most expressions needs. These words are looked for
// first: that costs a small part of what the expression itself does. See [requiredTexts].
type Regexp struct{ compiled func() compiled }

type compiled struct {
	*regexp.Regexp
	required []string // every match contains one of these, in lower case; nil: unknown
}

// New returns a Regexp for an expression in the syntax of package regexp. An invalid expression panics at
// its first use, so every expression needs a test that uses it.
func New(expression string) *Regexp {
	return &Regexp{sync.OnceValue(func() compiled {
		tree, err := syntax.Parse(expression, syntax.Perl)
		if err != nil {
			return compiled{Regexp: regexp.MustCompile(expression)} // panics
		}
		return compiled{Regexp: regexp.MustCompile(expression), required: requiredTexts(tree)}
	})}
}

// in returns the expression, or nil if s contains nothing that a match needs.
func (r *Regexp) in(s string) *regexp.Regexp {
	c := r.compiled()
	if c.required != nil && !containsAny(s, c.required) {
		return nil
	}
	return c.Regexp
}

// MatchString does the same as the method of regexp.Regexp, as do the other methods.
func (r *Regexp) MatchString(s string) bool {
	re := r.in(s)
	return re != nil && re.MatchString(s)
}

func (r *Regexp) FindString(s string) string {
	re := r.in(s)
	if re == nil {
		return ""
	}
	return re.FindString(s)
}

func (r *Regexp) FindStringIndex(s string) []int {
	re := r.in(s)
	if re == nil {
		return nil
	}
	return re.FindStringIndex(s)
}

func (r *Regexp) FindStringSubmatch(s string) []string {
	re := r.in(s)
	if re == nil {
		return nil
	}
	return re.FindStringSubmatch(s)
}

func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	re := r.in(s)
	if re == nil {
		return nil
	}
	return re.FindStringSubmatchIndex(s)
}

func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	re := r.in(s)
	if re == nil {
		return nil
	}
	return re.FindAllStringIndex(s, n)
}

func (r *Regexp) ReplaceAllString(s, with string) string {
	re := r.in(s)
	if re == nil {
		return s
	}
	return re.ReplaceAllString(s, with)
}

func (r *Regexp) ReplaceAllStringFunc(s string, with func(string) string) string {
	re := r.in(s)
	if re == nil {
		return s
	}
	return re.ReplaceAllStringFunc(s, with)
}

func (r *Regexp) Split(s string, n int) []string { return r.compiled().Split(s, n) }
