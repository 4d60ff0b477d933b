// Package redact finds secrets in text and masks them: tokens and keys by the rules of
// gitleaks, and values that the program itself was given, word for word.
//
// What is masked is masked everywhere the value stands in that text, and what kind of
// secret it was is said in its place. Values that were given are found in base64, hex and
// the escapes of addresses and JSON as well; of what merely looks like a secret, encodings
// are not found. It is the only room that knows gitleaks.
package redact

import (
	"cmp"
	"io"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
)

// A Finder finds secrets. Nil finds none. It is safe for concurrent use.
type Finder struct {
	given atomic.Pointer[[]string] // longest first, so that a value that another is part of goes after that
}

// shortest is how long a value has to be that is masked word for word: what is shorter
// stands in ordinary text.
const shortest = 8

// New is a finder that also knows the values given to it, in each form in which they are
// sent or quoted.
func New(given ...string) *Finder {
	f := &Finder{}
	f.Learn(given...)
	return f
}

// Learn adds values that were not known before. Nil learns nothing.
func (f *Finder) Learn(given ...string) {
	if f == nil {
		return
	}
	var fresh []string
	for _, value := range given {
		fresh = append(fresh, forms(value)...)
	}
	for {
		old := f.given.Load()
		all := slices.Concat(f.values(), fresh)
		slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
		all = slices.Compact(all)
		if f.given.CompareAndSwap(old, &all) {
			return
		}
	}
}

func (f *Finder) values() []string {
	if all := f.given.Load(); all != nil {
		return *all
	}
	return nil
}

// rules are compiled once in a process, when first needed: the library reads them through
// a variable of its own, which two at once would write.
var rules = sync.OnceValues(func() (*detect.Detector, error) {
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		return nil, err
	}
	d.IgnoreGitleaksAllow = true // a comment beside a secret does not make it one that may be shown
	for _, rule := range d.Config.Rules {
		dropTries(rule.Allowlists)
	}
	dropTries(d.Config.Allowlists)
	return d, nil
})

// dropTries keeps the lists of words that no secret has in it, and not the tries that the library
// makes of them: 11 MB, to look for some thousand words where a rule has found something. A list
// that was not validated has none, and is looked through word by word.
func dropTries(lists []*config.Allowlist) {
	for i, a := range lists {
		if len(a.StopWords) > 0 {
			lists[i] = &config.Allowlist{
				Description: a.Description, MatchCondition: a.MatchCondition, Commits: a.Commits, Paths: a.Paths,
				RegexTarget: a.RegexTarget, Regexes: a.Regexes, StopWords: a.StopWords,
			}
		}
	}
}

// A Found is one secret in a text.
type Found struct {
	Kind string // github-pat, aws-access-token; configured for one that was given
	Line int    // of the text, from 1
	text string
}

const (
	configured = "configured"
	unknown    = "unknown" // the rules are not to be had, so nothing is passed
)

// Find is what looks like a secret, in the order of the text.
func (f *Finder) Find(text string) (found []Found) {
	if f == nil || text == "" {
		return nil
	}
	for _, value := range f.values() {
		if at := strings.Index(text, value); at >= 0 {
			found = append(found, Found{configured, 1 + strings.Count(text[:at], "\n"), value})
		}
	}
	d, err := rules()
	if err != nil {
		return []Found{{unknown, 1, text}}
	}
	line := 0
	for part := range parts(text) {
		for _, x := range d.DetectString(part.text) {
			if x.Secret != "" {
				found = append(found, Found{x.RuleID, line + x.StartLine + 1, x.Secret})
			}
		}
		line += strings.Count(part.text[:part.next], "\n")
	}
	slices.SortStableFunc(found, func(a, b Found) int { return cmp.Compare(a.Line, b.Line) })
	return slices.Compact(found)
}

// A part of a text, and where in it the next one begins.
type part struct {
	text string
	next int
}

// How large parts are, and how much of one the next has again: a secret and the words that
// give it away stand near each other, except for a key in a block of its own.
const (
	partSize = 2 << 10
	partOver = 512
)

// parts cuts a long text. The library runs each rule whose words stand anywhere in the text
// over all of it; in a part stand few of them, which makes it twice as fast.
func parts(text string) iter.Seq[part] {
	return func(yield func(part) bool) {
		for len(text) > partSize+partOver && !strings.Contains(text, "PRIVATE KEY") {
			next := partSize
			if at := strings.LastIndexByte(text[:next], '\n'); at > partSize/2 {
				next = at + 1
			}
			if !yield(part{text[:next+partOver], next}) {
				return
			}
			text = text[next:]
		}
		yield(part{text, len(text)})
	}
}

// Mask is the text without the secrets in it.
func (f *Finder) Mask(text string) string {
	found := f.Find(text)
	slices.SortStableFunc(found, func(a, b Found) int { return cmp.Compare(len(b.text), len(a.text)) })
	for _, x := range found {
		text = strings.ReplaceAll(text, x.text, masked+x.Kind+"]")
	}
	return text
}

// masked begins what stands in a secret's place.
const masked = "[masked: "

// IsMasked reports whether a secret was masked in the text: somebody who works on it does
// not know what stood there.
func IsMasked(text string) bool { return strings.Contains(text, masked) }

// MaskGiven is Mask for the given values alone, without the rules, which take a while to be
// read: it is for programs that say a word and are done.
func (f *Finder) MaskGiven(text string) string {
	if f == nil {
		return text
	}
	for _, value := range f.values() {
		text = strings.ReplaceAll(text, value, masked+configured+"]")
	}
	return text
}

// Writer masks what is written to w, each Write by itself: a log writes one line at a time.
func (f *Finder) Writer(w io.Writer) io.Writer { return writer{f.Mask, w} }

// GivenWriter is Writer with MaskGiven.
func (f *Finder) GivenWriter(w io.Writer) io.Writer { return writer{f.MaskGiven, w} }

type writer struct {
	mask func(string) string
	to   io.Writer
}

func (w writer) Write(b []byte) (int, error) {
	if _, err := io.WriteString(w.to, w.mask(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}
