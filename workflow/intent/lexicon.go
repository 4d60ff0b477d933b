package intent

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Lexicon reads messages by the words of its lists. The zero value has the built-in lists of all languages;
// NewLexicon adds words to them.
type Lexicon struct {
	added map[string][]string
}

// addable are the lists to which NewLexicon adds phrases.
var addable = []string{"stop", "hold", "approve", "go_on", "no"}

// The limits of added phrases: their number in one list, and their length in characters.
const (
	maxAdded  = 100
	minPhrase = 2
	maxPhrase = 60
)

// NewLexicon returns a lexicon with the built-in lists and the added phrases. The keys of added are stop, hold,
// approve, go_on and no. The error is a PhraseFaults with each phrase that cannot be added.
func NewLexicon(added map[string][]string) (Lexicon, error) {
	var faults PhraseFaults
	for list, phrases := range added {
		if !slices.Contains(addable, list) {
			return Lexicon{}, fmt.Errorf("words.%s: there is no such list; use %s", list, strings.Join(addable, ", "))
		}
		for i, phrase := range phrases {
			if reason := whyNotAdded(phrase, i); reason != "" {
				faults = append(faults, PhraseFault{List: list, Index: i, Phrase: phrase, Reason: reason})
			}
		}
	}
	if len(faults) > 0 {
		slices.SortFunc(faults, func(a, b PhraseFault) int { return cmp.Or(cmp.Compare(a.List, b.List), a.Index-b.Index) })
		return Lexicon{}, faults
	}
	return Lexicon{added: added}, nil
}

// whyNotAdded returns why the phrase at that index of its list cannot be added, or an empty string.
func whyNotAdded(phrase string, index int) string {
	switch n := utf8.RuneCountInString(strings.TrimSpace(phrase)); {
	case index >= maxAdded:
		return fmt.Sprintf("is one too many: a list has at most %d phrases", maxAdded)
	case n < minPhrase:
		return fmt.Sprintf("is too short: a phrase has %d to %d characters", minPhrase, maxPhrase)
	case n > maxPhrase:
		return fmt.Sprintf("is too long: a phrase has %d to %d characters", minPhrase, maxPhrase)
	}
	return ""
}

// A PhraseFault is a phrase that cannot be added to a list.
type PhraseFault struct {
	List   string
	Index  int // from 0
	Phrase string
	Reason string
}

func (f PhraseFault) Error() string {
	return fmt.Sprintf("words.%s: %q %s", f.List, f.Phrase, f.Reason)
}

// PhraseFaults are all phrases that cannot be added.
type PhraseFaults []PhraseFault

func (f PhraseFaults) Error() string {
	lines := make([]string, len(f))
	for i, fault := range f {
		lines[i] = fault.Error()
	}
	return strings.Join(lines, "\n")
}

// ReadConsent reads a message with the zero Lexicon.
func ReadConsent(text string) Consent { return Lexicon{}.ReadConsent(text) }

// Permits reads a message with the zero Lexicon.
func Permits(text string) bool { return Lexicon{}.Permits(text) }

// SaysGoOn reads a message with the zero Lexicon.
func SaysGoOn(text string) bool { return Lexicon{}.SaysGoOn(text) }

// GoesOn reads a message with the zero Lexicon.
func GoesOn(text string) bool { return Lexicon{}.GoesOn(text) }
