package phrases

import (
	"slices"
	"strings"
)

// A pattern is a line of a list: a phrase, or several that differ in the alternatives of "(a|b)". A line may
// stand for a hundred thousand phrases, so they are told apart only as far as a message needs.
type pattern string

// expand returns all phrases that the pattern stands for.
func (p pattern) expand() []string { return p.expandWhile(func(string) bool { return true }) }

// at returns the phrases of the pattern that may be at the beginning of text.
func (p pattern) at(text string) []string {
	return p.expandWhile(func(head string) bool {
		before, after, gapped := strings.Cut(head, gap)
		before = strings.TrimSuffix(strings.TrimRight(before, " "), " *")
		return strings.HasPrefix(text, before) &&
			(!gapped || strings.Contains(text, strings.TrimSpace(after)))
	})
}

// expandWhile returns the phrases of the pattern, each of whose beginnings is wanted.
func (p pattern) expandWhile(wanted func(head string) bool) []string {
	opening, _, _ := strings.Cut(string(p), "(")
	if !wanted(opening) {
		return nil // before its choices are told apart: this is the end of nearly all patterns
	}
	head, choices, after := p.cut()
	if choices == nil {
		if head != opening && !wanted(head) {
			return nil
		}
		if head = strings.TrimRight(head, " "); head == "" {
			return nil
		}
		return []string{head}
	}
	var all []string
	for _, choice := range choices {
		all = append(all, join(head, choice+after).expandWhile(wanted)...)
	}
	return all
}

// byBeginning returns patterns that together are p, and whose first two words are fixed.
func (p pattern) byBeginning() (all []pattern) {
	head, choices, after := p.cut()
	two := twoWords(head)
	if choices == nil || two != "" && two != head || strings.Contains(head, gap) || joins(firstRune(head)) {
		return []pattern{p}
	}
	for _, choice := range choices {
		all = append(all, join(head, choice+after).byBeginning()...)
	}
	return all
}

// cut returns what precedes the first alternatives, these, and what follows them. No choices: there are no
// alternatives, and head is the whole pattern.
func (p pattern) cut() (head string, choices []string, after string) {
	head, rest, opens := strings.Cut(string(p), "(")
	inside, after, closes := strings.Cut(rest, ")")
	if !opens || !closes {
		return string(p), nil, ""
	}
	return head, strings.Split(inside, "|"), after
}

// join returns a head and what follows it, with one space between two words where a choice is empty.
func join(head, rest string) pattern {
	return pattern(strings.TrimLeft(strings.ReplaceAll(head+rest, "  ", " "), " "))
}

// An index holds the phrases of a section by their first two words, by their first word if the second is not
// fixed, and under "" those that begin with a gap.
type index map[string][]pattern

func newIndex(all []pattern) index {
	x := index{}
	for _, p := range all {
		for _, p := range p.byBeginning() {
			head, _, _ := p.cut()
			key := keyOf(head)
			if two := twoWords(head); two != "" && key != "" {
				key = two
			}
			if !slices.Contains(x[key], p) {
				x[key] = append(x[key], p)
			}
		}
	}
	return x
}

// at returns the phrases that may be at the beginning of text.
func (i index) at(text string) []string { return i.of(keysOf(text), text) }

// keys are those of an index under which the phrases stand that may be at the beginning of a text.
type keys struct{ one, two string }

func keysOf(text string) keys { return keys{keyOf(text), twoWords(text)} }

// of returns the phrases that may be at the beginning of text, whose keys are k.
func (i index) of(k keys, text string) (all []string) {
	for _, p := range i[k.one] {
		all = append(all, p.at(text)...)
	}
	if k.two != "" {
		for _, p := range i[k.two] {
			all = append(all, p.at(text)...)
		}
	}
	if k.one != "" {
		for _, p := range i[""] {
			all = append(all, p.at(text)...)
		}
	}
	return all
}

// twoWords returns the beginning of text to the end of its second word. It returns an empty string if there
// is none, or in a script that joins words.
func twoWords(text string) string {
	words := 0
	inside := false
	for at, r := range text {
		switch {
		case joins(r):
			return ""
		case inWord(r) && !inside:
			words = words + 1
			inside = true
		case !inWord(r) && inside:
			if inside = false; words == 2 {
				return text[:at]
			}
			if strings.HasPrefix(text[at:], " "+gap) || strings.HasPrefix(text[at:], " *") {
				return ""
			}
		}
	}
	if words == 2 {
		return text
	}
	return ""
}

// keyOf returns the first word of text, or its first letter in a script that joins words.
func keyOf(text string) string {
	if first := firstRune(text); joins(first) {
		return string(first)
	}
	if strings.HasPrefix(text, gap) {
		return ""
	}
	for at, r := range text {
		if at > 0 && !inWord(r) {
			return text[:at]
		}
	}
	return text
}

// gap stands for more words in a phrase.
const gap = "..."
