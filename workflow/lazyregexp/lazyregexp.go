// Package lazyregexp provides regular expressions that are compiled at their first use. The program has
// about eighty for text that people write. To compile all of them takes 6 MB and a fifth of the program's
// start time, even if it only prints its version. It also reads files of expressions, one per line: see
// Forms.
package lazyregexp

import (
	"regexp"
	"sync"
)

// A Regexp is a regexp.Regexp that is compiled at its first use. It is safe for concurrent use.
type Regexp struct{ compiled func() *regexp.Regexp }

// New returns a Regexp for an expression in the syntax of package regexp. An invalid expression panics at
// its first use, so every expression needs a test that uses it.
func New(expression string) *Regexp {
	return &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })}
}

// MatchString does the same as the method of regexp.Regexp, as do the other methods.
func (r *Regexp) MatchString(s string) bool { return r.compiled().MatchString(s) }

func (r *Regexp) FindString(s string) string { return r.compiled().FindString(s) }

func (r *Regexp) FindStringIndex(s string) []int { return r.compiled().FindStringIndex(s) }

func (r *Regexp) FindStringSubmatch(s string) []string { return r.compiled().FindStringSubmatch(s) }

func (r *Regexp) FindStringSubmatchIndex(s string) []int {
	return r.compiled().FindStringSubmatchIndex(s)
}

func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.compiled().FindAllStringIndex(s, n)
}

func (r *Regexp) ReplaceAllString(s, with string) string {
	return r.compiled().ReplaceAllString(s, with)
}

func (r *Regexp) ReplaceAllStringFunc(s string, with func(string) string) string {
	return r.compiled().ReplaceAllStringFunc(s, with)
}

func (r *Regexp) Split(s string, n int) []string { return r.compiled().Split(s, n) }
