// Package redact finds secrets in text and masks them: tokens and keys by the rules of gitleaks, and values
// that the program was configured with, word for word.
//
// Mask replaces every occurrence of a secret in the text by a marker that names the kind of secret.
// Configured values are also found in base64, in hex and in the escapes of URLs and JSON; encoded forms of
// secrets that only gitleaks recognises are not found. This is the only package that uses gitleaks.
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

// A Finder finds secrets. A nil Finder finds none. It is safe for concurrent use.
type Finder struct {
	// longest first, so that a value which is part of another is masked after it
	given atomic.Pointer[[]string]
}

// shortest is the minimum length in bytes of a value that is masked word for word. Shorter values appear in
// ordinary text.
const shortest = 8

// New returns a Finder that also knows the given values, in every form in which they may be sent or quoted.
func New(given ...string) *Finder {
	f := &Finder{}
	f.Learn(given...)
	return f
}

// Learn adds values to mask. It does nothing on a nil Finder.
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
		slices.SortFunc(all,
			func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
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

// rules returns the detector, which is built once per process, at the first use: the library reads its
// rules through a global variable of its own, which concurrent calls would write.
var rules = sync.OnceValues(func() (*detect.Detector, error) {
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		return nil, err
	}
	d.IgnoreGitleaksAllow = true // a comment next to a secret does not permit showing it
	for _, rule := range d.Config.Rules {
		dropTries(rule.Allowlists)
	}
	dropTries(d.Config.Allowlists)
	return d, nil
})

// dropTries replaces each allowlist with stop words by a copy without the trie that the library builds from
// them. The tries take 11 MB, only to look up some thousand words when a rule has matched. A list that was
// not validated has no trie and is searched word by word.
func dropTries(lists []*config.Allowlist) {
	for i, a := range lists {
		if len(a.StopWords) > 0 {
			lists[i] = &config.Allowlist{
				Description:    a.Description,
				MatchCondition: a.MatchCondition,
				Commits:        a.Commits,
				Paths:          a.Paths,
				RegexTarget:    a.RegexTarget,
				Regexes:        a.Regexes,
				StopWords:      a.StopWords,
			}
		}
	}
}

// A Found is a secret that was found in a text.
type Found struct {
	Kind string // the rule's id, such as github-pat or aws-access-token; "configured" for a given value
	Line int    // line number in the text, from 1
	text string
}

// KindText returns the kind in words for people: GitHub token, private key.
func (f Found) KindText() string {
	if kind, ok := map[string]string{
		configured:                "one that I know",
		unknown:                   "the rules that find secrets cannot be loaded",
		"aws-access-token":        "AWS key",
		"generic-api-key":         "API key",
		"jwt":                     "JSON web token",
		"github-pat":              "GitHub token",
		"github-fine-grained-pat": "GitHub token",
		"github-oauth":            "GitHub token",
		"github-app-token":        "GitHub token",
		"github-refresh-token":    "GitHub token",
		"gitlab-pat":              "GitLab token",
		"slack-bot-token":         "Slack token",
		"slack-user-token":        "Slack token",
		"slack-app-token":         "Slack token",
		"slack-webhook-url":       "Slack webhook",
	}[f.Kind]; ok {
		return kind
	}
	return strings.ReplaceAll(f.Kind, "-", " ")
}

const (
	configured = "configured"
	unknown    = "unknown" // the rules cannot be loaded, so the whole text is masked
)

// Find returns the secrets in a text, sorted by line. If the rules cannot be loaded, it returns the whole
// text as one secret.
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
	found = append(found, halfKeys(text)...)
	slices.SortStableFunc(found, func(a, b Found) int { return cmp.Compare(a.Line, b.Line) })
	return slices.Compact(found)
}

// A part is a piece of a text, with the offset in it at which the next part begins.
type part struct {
	text string
	next int
}

// The size of a part and the overlap with the next part, in bytes. A secret and the words that identify it
// are close together, except for a private key in a block; a token may be longer.
const (
	partSize = 2 << 10
	partOver = 512
)

// maxToken is the length in bytes up to which a token is not cut at the end of a part.
const maxToken = 8 << 10

// parts splits a long text. The library runs each rule whose keywords appear anywhere in a text over the
// whole text; a part contains few keywords, which makes the search twice as fast. A part contains the whole
// of a token that begins in it. A text with a private key is not split.
func parts(text string) iter.Seq[part] {
	return func(yield func(part) bool) {
		for len(text) > partSize+partOver && !strings.Contains(text, "PRIVATE KEY") {
			next := partSize
			if at := strings.LastIndexByte(text[:next], '\n'); at > partSize/2 {
				next = at + 1
			} else if at := next - tokenLen(text[:next], true); at > partSize/2 {
				next = at
			}
			end := next + partOver
			if rest := tokenLen(text[end:min(len(text), end+maxToken)], false); rest < maxToken {
				end += rest
			}
			if !yield(part{text[:end], next}) {
				return
			}
			text = text[next:]
		}
		yield(part{text, len(text)})
	}
}

// tokenLen returns how many bytes at the start of a text, or at its end, may be of one token.
func tokenLen(text string, atEnd bool) (n int) {
	for n < len(text) {
		c := text[n]
		if atEnd {
			c = text[len(text)-1-n]
		}
		if c != '.' && c != '-' && c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') {
			break
		}
		n++
	}
	return n
}

// Mask returns the text with each secret replaced by a marker.
func (f *Finder) Mask(text string) string {
	found := f.Find(text)
	slices.SortStableFunc(found, func(a, b Found) int { return cmp.Compare(len(b.text), len(a.text)) })
	for _, x := range found {
		text = strings.ReplaceAll(text, x.text, masked+x.Kind+"]")
	}
	return text
}

// masked is the beginning of the marker that replaces a secret.
const masked = "[masked: "

// IsMasked reports whether a secret was masked in the text, which means that a reader cannot know the
// original.
func IsMasked(text string) bool { return strings.Contains(text, masked) }

// MaskGiven masks only the given values. It does not load the rules, which takes a while, and is meant for
// programs that print a little and exit.
func (f *Finder) MaskGiven(text string) string {
	if f == nil {
		return text
	}
	for _, value := range f.values() {
		text = strings.ReplaceAll(text, value, masked+configured+"]")
	}
	return text
}

// Writer returns a writer that masks what is written to w, each Write separately: a log writes one line at
// a time.
func (f *Finder) Writer(w io.Writer) io.Writer { return writer{f.Mask, w} }

// GivenWriter returns a writer like Writer that uses MaskGiven.
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
