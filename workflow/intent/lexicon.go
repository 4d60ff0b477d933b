package intent

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/phrases"
	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
)

// A Lexicon reads messages by the words of its lists. The zero value has the built-in lists of all languages;
// NewLexicon adds words to them.
type Lexicon struct {
	set *phrases.Set // nil: the built-in lists
}

// phrases returns the lists by which the lexicon reads.
func (l Lexicon) phrases() phrases.Set {
	if l.set != nil {
		return *l.set
	}
	return builtIn()
}

// LoadWords loads the built-in lists and forms, which the first message does otherwise.
func LoadWords() {
	builtIn()
	awaiting()
	workObjections()
	pushObjections()
}

var builtIn = sync.OnceValue(func() phrases.Set { return phrases.NewSet(phrases.BuiltIn()) })

// addable are the lists to which NewLexicon adds phrases.
var addable = []string{"stop", "hold", "approve", "go_on", "no"}

// The limits of added phrases: their number in one list, and their length in characters.
const (
	maxAdded  = 100
	minPhrase = 2
	maxPhrase = 60
)

// NewLexicon returns a lexicon with the built-in lists and the added phrases. The keys of added are stop,
// hold, approve, go_on and no. The error is a PhraseFaults with each phrase that cannot be added.
func NewLexicon(added map[string][]string) (Lexicon, error) {
	var faults PhraseFaults
	for list := range added {
		if !slices.Contains(addable, list) {
			return Lexicon{}, fmt.Errorf("words.%s: there is no such list; use %s", list,
				strings.Join(addable, ", "))
		}
	}
	for _, list := range addable {
		for i, phrase := range added[list] {
			if reason := whyNotAdded(added, list, i); reason != "" {
				faults = append(faults, PhraseFault{List: list, Index: i, Phrase: phrase, Reason: reason})
			}
		}
	}
	if len(faults) > 0 {
		return Lexicon{}, faults
	}
	if !slices.ContainsFunc(addable, func(list string) bool { return len(added[list]) > 0 }) {
		return Lexicon{}, nil // the built-in lists are read when the first message comes
	}
	set := builtIn().And(addedList(added))
	return Lexicon{set: &set}, nil
}

// addedList returns the added phrases as one more language, whose words around a phrase are those of all
// languages.
func addedList(added map[string][]string) phrases.List {
	list := phrases.NewList("words")
	for _, l := range phrases.BuiltIn() {
		for _, around := range []phrases.Meaning{phrases.Tail, phrases.Please} {
			for _, phrase := range l.All(around) {
				list.Add(around, phrase)
			}
		}
	}
	for _, name := range addable {
		for _, phrase := range added[name] {
			list.Add(phrases.Meaning(name), strings.ToLower(strings.TrimSpace(phrase)))
		}
	}
	return list
}

// whyNotAdded returns why the phrase at that index of its list cannot be added, or an empty string.
func whyNotAdded(added map[string][]string, list string, index int) string {
	phrase := strings.TrimSpace(added[list][index])
	switch n := utf8.RuneCountInString(phrase); {
	case index >= maxAdded:
		return fmt.Sprintf("is one too many: a list has at most %d phrases", maxAdded)
	case n < minPhrase:
		return fmt.Sprintf("is too short: a phrase has %d to %d characters", minPhrase, maxPhrase)
	case n > maxPhrase:
		return fmt.Sprintf("is too long: a phrase has %d to %d characters", minPhrase, maxPhrase)
	case !words.HasWord(phrase):
		return "has no letter"
	case strings.ContainsAny(phrase, ".!?,;:()|\n"):
		return "has a punctuation mark in it; a phrase is a part of one sentence"
	}
	for _, other := range addable {
		if other != list && containsFolded(added[other], phrase) {
			return "is in words." + other + ", too"
		}
	}
	return whyContradicts(phrase, phrases.Meaning(list))
}

// whyContradicts returns which built-in list a phrase with that meaning contradicts, or an empty string.
func whyContradicts(phrase string, meaning phrases.Meaning) string {
	agreeing := []phrases.Meaning{phrases.Approve, phrases.GoOn, phrases.Yes}
	against := agreeing
	does := "agrees"
	if slices.Contains(agreeing, meaning) {
		against = []phrases.Meaning{phrases.Stop, phrases.Wait, phrases.Hold, phrases.No}
		does = "refuses"
	}
	contradicts := func(m phrases.Meaning) bool {
		if slices.Contains(agreeing, m) {
			return containsFolded(builtIn().All(m), phrase)
		}
		return builtIn().IsWhole(phrases.Fold(phrase), m)
	}
	switch {
	case slices.ContainsFunc(against, contradicts):
		return "is built in as a phrase that " + does
	case meaning == phrases.Approve && contradicts(phrases.Yes):
		return "is a bare yes, which may answer anything; an approval says what it approves"
	case meaning == phrases.Approve && contradicts(phrases.GoOn) && !contradicts(phrases.Approve):
		return "is built in as a phrase that lets stopped work go on"
	case meaning == phrases.GoOn && contradicts(phrases.Approve) && !contradicts(phrases.GoOn):
		return "is built in as a phrase that approves"
	}
	return ""
}

// containsFolded reports whether a list has the phrase, as refusals are compared.
func containsFolded(list []string, phrase string) bool {
	folded := phrases.Fold(phrase)
	return slices.ContainsFunc(list, func(p string) bool { return phrases.Fold(p) == folded })
}

// A PhraseFault is a phrase that cannot be added to a list.
type PhraseFault struct {
	List   string
	Index  int // from 0
	Phrase string
	Reason string
}

func (p PhraseFault) Error() string {
	return fmt.Sprintf("words.%s: %q %s", p.List, p.Phrase, p.Reason)
}

// PhraseFaults are all phrases that cannot be added.
type PhraseFaults []PhraseFault

func (p PhraseFaults) Error() string {
	lines := make([]string, len(p))
	for i, fault := range p {
		lines[i] = fault.Error()
	}
	return strings.Join(lines, "\n")
}
