// Package phrases holds the words by which messages stop, hold, approve or refuse work: lists in files, one
// file for each language, which are part of the program.
//
// # The files
//
// A file in the folder languages has a section for each meaning. A line such as "[stop]" begins a section,
// each other line is one phrase, and # begins a comment. Phrases are written in lower case and without final
// punctuation. "..." at the end of a phrase stands for more words; elsewhere it stands for some words or
// none. "*" at the end stands for one word. "(a|b) c" stands for two phrases, "a c" and "b c".
//
//	stop     says to stop: "stop", "cancel". It ends running work in any phase.
//	wait     says to wait, or not to fix, push or go on: "hold on", "don't push". It ends approved work;
//	         before an approval it only means "not now".
//	hold     objects: "wrong file", "I don't think so". The push of approved work waits.
//	no       refuses, as a sentence of its own: "no", "nope"
//	approve  approves a report, as the whole message: "fix it". Never short or ambiguous: no bare "yes".
//	go_on    lets stopped work go on, as the whole message: "go on"
//	yes      agrees, but approves nothing: "yes", "sounds good". People are asked what they mean.
//	near     begins what sounds like an approval and is none: "fix the", "just do". People are asked, too.
//	but      begins what limits a yes: "but", "only"
//	except   begins what a yes leaves out, and stays in the limit: "without", "except"
//	when     begins a condition of a yes, or says its time: "if", "tomorrow"
//	please   is dropped at both ends of a whole message
//	opener   may precede words that refuse: "hey", "sorry", "can you"
//	pointer  may precede an objection: "that's the", "you're in the"
//	tail     may follow words that refuse: "it", "please", "right now"
//	reason   begins a reason behind words that refuse, if no comma does: "that's", "you are"
//	instead  begins what is wanted instead, so that a "no" or "stop" before it corrects work
//	filler   is dropped wherever it stands: "really", "just"
//	idiom    looks like a refusal and is none: "oh no", "don't you think so"
//	ask      begins a question that says something: "can you", "isn't that the"
//	inform   begins what its writer found out, so that a "wait" before it holds work and does not end it
//	condition makes work wait for a person, an event or a time, as a whole clause: "if ... agrees"
//	praise   only praises what was shown, as a whole clause: "looks good", "well done"
//	apology  apologizes, as a whole clause: what stands beside it may say that its writer was wrong
//	talk     refuses nothing when it is said to a colleague: "one moment", "not yet"
//
// What refuses, and what stands beside a phrase, is compared without apostrophes, accents and letters that
// repeat ("stoppp"), because it permits nothing. Approvals, and what limits them, are compared letter by
// letter.
package phrases

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
)

// A Meaning is the name of a section.
type Meaning string

// The meanings.
const (
	None    Meaning = ""
	Stop    Meaning = "stop"
	Wait    Meaning = "wait"
	Hold    Meaning = "hold"
	No      Meaning = "no"
	Approve Meaning = "approve"
	GoOn    Meaning = "go_on"
	Yes     Meaning = "yes"
	Near    Meaning = "near"
	But     Meaning = "but"
	Except  Meaning = "except"
	When    Meaning = "when"
	Please  Meaning = "please"
	Opener  Meaning = "opener"
	Pointer Meaning = "pointer"
	Tail    Meaning = "tail"
	Reason  Meaning = "reason"
	Instead Meaning = "instead"
	Ask     Meaning = "ask"
	Filler  Meaning = "filler"
	Idiom   Meaning = "idiom"
	Inform  Meaning = "inform"
	Talk    Meaning = "talk"
	Praise  Meaning = "praise"
	Apology Meaning = "apology"

	Condition Meaning = "condition"
)

// Meanings lists all meanings.
var Meanings = []Meaning{
	Stop, Wait, Hold, No, Approve, GoOn, Yes, Near, But, Except, When, Please, Opener, Pointer, Tail, Reason,
	Instead, Ask, Filler, Idiom, Inform, Talk, Praise, Apology, Condition,
}

// liberal lists the meanings whose phrases are folded: they refuse, or stand beside what is said. None
// of them permits anything.
var liberal = []Meaning{
	Stop, Wait, Hold, No, Opener, Pointer, Tail, Reason, Instead, Ask, Filler, Idiom, Inform, Talk, Praise,
	Apology, Condition,
}

// A List holds the phrases of one language, by meaning.
type List struct {
	Name    string // of the language
	phrases map[Meaning][]pattern
}

// NewList returns a list without phrases.
func NewList(name string) List { return List{Name: name, phrases: map[Meaning][]pattern{}} }

// All returns the phrases of that meaning.
func (l List) All(meaning Meaning) (all []string) {
	for _, p := range l.phrases[meaning] {
		all = append(all, p.expand()...)
	}
	return all
}

//go:embed languages/*.txt
var files embed.FS

// BuiltIn returns the lists of all languages. They are read at the first call.
func BuiltIn() []List { return builtIn() }

var builtIn = sync.OnceValue(func() []List {
	entries, err := files.ReadDir("languages")
	if err != nil {
		panic(err)
	}
	lists := make([]List, len(entries))
	for i, e := range entries {
		text, err := files.ReadFile(path.Join("languages", e.Name()))
		if err != nil {
			panic(err)
		}
		if lists[i], err = Parse(strings.TrimSuffix(e.Name(), ".txt"), string(text)); err != nil {
			panic(err)
		}
	}
	return lists
})

// Parse reads the file of a language.
func Parse(name, text string) (List, error) {
	list := NewList(name)
	section := None
	for number, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimSpace(line)
		heading, isHeading := strings.CutPrefix(line, "[")
		switch {
		case line == "":
		case isHeading:
			name, closed := strings.CutSuffix(heading, "]")
			section = Meaning(name)
			if !closed || !slices.Contains(Meanings, section) {
				return list, fmt.Errorf("%s:%d: there is no section %s", list.Name, number+1, line)
			}
		case section == None:
			return list, fmt.Errorf("%s:%d: %q stands before the first section", name, number+1, line)
		default:
			list.Add(section, line)
		}
	}
	return list, nil
}

// Add adds a phrase to a section.
func (l List) Add(section Meaning, phrase string) {
	if slices.Contains(liberal, section) {
		phrase = Fold(phrase)
	}
	l.phrases[section] = append(l.phrases[section], pattern(phrase))
}

// Contradictions returns the phrases of a list that both refuse and agree.
func Contradictions(l List) (both []string) {
	var agreeing []string
	for _, meaning := range []Meaning{Approve, GoOn, Yes, Near} {
		for _, phrase := range l.All(meaning) {
			agreeing = append(agreeing, Fold(phrase))
		}
	}
	for _, meaning := range []Meaning{Stop, Wait, Hold, No} {
		for _, phrase := range l.All(meaning) {
			if slices.Contains(agreeing, phrase) {
				both = append(both, phrase)
			}
		}
	}
	return both
}
