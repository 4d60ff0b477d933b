package phrases

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	lru "github.com/hashicorp/golang-lru/v2"
)

// A Set finds phrases of several languages in messages. Openers count in each language, because people mix
// them; what follows a phrase has to be of the phrase's own language.
type Set struct {
	lists   []List
	indexes []map[Meaning]index    // of each list
	short   []map[Meaning][]string // of each list, the phrases of short sections
	// found are the matches of the clauses that were read last. One reading of a message asks for the same
	// clauses up to ten times, and what takes the message in has asked before.
	found *lru.Cache[string, Match]
}

// recent is the number of clauses whose matches are remembered; their texts take at most 500 KB.
const recent = 1000

// short lists the meanings whose sections are searched from end to end.
var short = []Meaning{Approve, Near, When, Please, Opener, Tail, Filler}

// NewSet returns a set of the lists.
func NewSet(lists []List) (s Set) {
	for _, list := range lists {
		s = s.And(list)
	}
	return s
}

// And returns a set of the same lists and one more.
func (s Set) And(list List) Set {
	indexes := map[Meaning]index{}
	all := map[Meaning][]string{}
	for meaning, phrases := range list.phrases {
		indexes[meaning] = newIndex(phrases)
	}
	for _, meaning := range short {
		all[meaning] = list.All(meaning)
	}
	found, err := lru.New[string, Match](recent)
	if err != nil {
		panic(err) // the number is not positive
	}
	return Set{
		lists:   append(slices.Clip(s.lists), list),
		indexes: append(slices.Clip(s.indexes), indexes),
		short:   append(slices.Clip(s.short), all),
		found:   found,
	}
}

// A Match is a phrase that refuses, found in a clause.
type Match struct {
	Meaning Meaning // Stop, Wait, Hold or No; None: the clause is none of these
	Reason  string  // the reason that follows in the same clause; empty: none
	Partial bool    // the phrase stands for more words, which may change what it means
}

// refusals are the meanings that Find looks for, the strongest first.
var refusals = []Meaning{Stop, Wait, Hold, No}

// phrases returns the phrases of that meaning of a list.
func (s Set) phrases(list int, meaning Meaning) []string {
	if all, ok := s.short[list][meaning]; ok {
		return all
	}
	return s.lists[list].All(meaning)
}

// The limits of what is read: the length of a clause in bytes, and the number of places in it at which a
// phrase may begin. Nobody objects in a longer one, and "ok ok ok ..." would take seconds.
const (
	maxClause = 500
	maxStarts = 60
)

// Find returns the strongest refusal that the clause says. The clause has to be one from its beginning to its
// end, apart from openers before it, fillers in it, and tails and a reason behind it.
func (s Set) Find(clause string) Match {
	if len(clause) > maxClause || s.found == nil {
		return Match{} // no list is there to find anything in
	}
	match, known := s.found.Get(clause)
	if !known {
		match = s.findFolded(Fold(clause))
		s.found.Add(strings.Clone(clause), match)
	}
	return match
}

func (s Set) findFolded(folded string) Match {
	if _, idiom := s.find(Idiom, []string{folded}); idiom {
		return Match{}
	}
	starts := s.without(Opener, s.variants(folded))
	pointed := s.without(Pointer, starts)
	for _, meaning := range refusals {
		from := starts
		if meaning == Hold {
			from = pointed
		}
		if m, ok := s.find(meaning, from); ok {
			return m
		}
	}
	return Match{}
}

// Matches reports whether a clause says a phrase of that meaning from its beginning to its end, apart from
// openers before it and tails and a reason behind it.
func (s Set) Matches(clause string, meaning Meaning) bool {
	if len(clause) > maxClause {
		return false
	}
	_, found := s.find(meaning, s.without(Opener, s.variants(Fold(clause))))
	return found
}

// Is reports whether a clause is a phrase of that meaning, and nothing else.
func (s Set) Is(clause string, meaning Meaning) bool {
	if len(clause) > maxClause {
		return false
	}
	folded := Fold(clause)
	k := keysOf(folded)
	for i := range s.lists {
		if slices.ContainsFunc(s.indexes[i][meaning].of(k, folded), func(phrase string) bool {
			rest, ok := cutPhrase(folded, phrase)
			return ok && rest == ""
		}) {
			return true
		}
	}
	return false
}

// variants returns a clause as it is, and without fillers and words that follow themselves ("stop stop
// stop").
func (s Set) variants(folded string) []string {
	kept := slices.DeleteFunc(strings.Fields(folded), func(word string) bool {
		return s.has(Filler, word)
	})
	if short := strings.Join(slices.Compact(kept), " "); short != "" && short != folded {
		return []string{folded, short}
	}
	return []string{folded}
}

// has reports whether a text is a phrase of that meaning.
func (s Set) has(meaning Meaning, text string) bool {
	for i := range s.lists {
		if slices.Contains(s.phrases(i, meaning), text) {
			return true
		}
	}
	return false
}

// find finds a phrase of that meaning at one of the starts.
func (s Set) find(meaning Meaning, starts []string) (best Match, ok bool) {
	for _, start := range starts {
		k := keysOf(start)
		for i := range s.lists {
			for _, phrase := range s.indexes[i][meaning].of(k, start) {
				m, found := s.match(i, start, phrase)
				if found && (!ok || best.Partial && !m.Partial) {
					best = m
					ok = true
				}
			}
		}
	}
	best.Meaning = meaning
	return best, ok
}

// match reports whether text is the phrase with tails or a reason of that list behind it.
func (s Set) match(list int, text, phrase string) (m Match, ok bool) {
	if before, after, gaps := strings.Cut(phrase, gap); gaps {
		return s.matchGap(list, text, strings.TrimSpace(before), strings.TrimSpace(after))
	}
	rest, ok := cutPhrase(text, phrase)
	for ok && rest != "" {
		if s.begins(list, rest, Reason) {
			return Match{Reason: rest}, true
		}
		rest, ok = s.cutLongest(list, rest, Tail)
	}
	return Match{}, ok
}

// cutPhrase is CutPrefix for a phrase that may end with a star, which stands for one word.
func cutPhrase(text, phrase string) (rest string, ok bool) {
	before, one := strings.CutSuffix(phrase, " *")
	rest, ok = cutPrefix(text, before)
	if !ok || !one {
		return rest, ok
	}
	_, rest, _ = strings.Cut(rest, " ")
	return rest, ok && len(text) > len(before)
}

// matchGap reports whether text is before, some words, and after, with tails behind it.
func (s Set) matchGap(list int, text, before, after string) (m Match, ok bool) {
	rest := text
	if before != "" {
		if rest, ok = cutPrefix(text, before); !ok {
			return m, false
		}
	}
	if after == "" {
		return Match{Partial: true}, rest != ""
	}
	for {
		if between, ok := cutSuffix(rest, after); ok {
			return Match{Partial: between != ""}, true
		}
		tails := s.short[list][Tail]
		at := slices.IndexFunc(tails, func(tail string) bool {
			_, ok := cutSuffix(rest, tail)
			return ok
		})
		if at < 0 {
			return m, false
		}
		rest, _ = cutSuffix(rest, tails[at])
	}
}

// begins reports whether text begins with a phrase of that meaning of a list.
func (s Set) begins(list int, text string, meaning Meaning) bool {
	return slices.ContainsFunc(s.indexes[list][meaning].at(text), func(phrase string) bool {
		_, ok := cutPrefix(text, phrase)
		return ok
	})
}

// cutLongest drops the longest phrase of that meaning from the beginning of text.
func (s Set) cutLongest(list int, text string, meaning Meaning) (rest string, ok bool) {
	rest = text
	for _, phrase := range s.indexes[list][meaning].at(text) {
		if r, found := cutPrefix(text, phrase); found && len(r) < len(rest) {
			rest = r
			ok = true
		}
	}
	return rest, ok
}

// without returns the texts, and each of them without one or more phrases of that meaning at its beginning.
func (s Set) without(meaning Meaning, texts []string) []string {
	all := slices.Clone(texts)
	for i := 0; i < min(len(all), maxStarts); i++ {
		k := keysOf(all[i])
		for _, x := range s.indexes {
			for _, phrase := range x[meaning].of(k, all[i]) {
				rest, ok := cutPrefix(all[i], phrase)
				if ok && rest != "" && !slices.Contains(all, rest) {
					all = append(all, rest)
				}
			}
		}
	}
	return all
}

// OnlyTails reports whether a text holds nothing but words that may follow any phrase.
func (s Set) OnlyTails(text string) bool {
	for i := range s.lists {
		rest := Fold(text)
		ok := true
		for ok && rest != "" {
			if rest, ok = s.cutLongest(i, strings.TrimLeft(rest, " ,"), Tail); !ok {
				rest, ok = s.cutLongest(i, rest, Please)
			}
		}
		if rest == "" {
			return true
		}
	}
	return false
}

// IsOpener reports whether the clause holds nothing but openers, such as "no" or "sorry guys".
func (s Set) IsOpener(clause string) bool {
	for _, rest := range s.without(Opener, []string{Fold(clause)}) {
		if s.has(Opener, rest) {
			return true
		}
	}
	return false
}

// Says reports whether a clause begins with a phrase of that meaning, or is one with a gap.
func (s Set) Says(clause string, meaning Meaning) bool {
	_, ok := s.find(meaning, []string{Fold(clause)})
	return ok || s.Begins(clause, meaning)
}

// Begins reports whether the text begins with a phrase of that meaning.
func (s Set) Begins(text string, meaning Meaning) bool {
	if slices.Contains(liberal, meaning) {
		text = Fold(text)
	}
	text = strings.ToLower(text)
	for i := range s.lists {
		if s.begins(i, text, meaning) {
			return true
		}
	}
	return false
}

// IsWhole reports whether the text is one of the phrases of that meaning, letter by letter. Only case may
// differ, and politeness and one final mark may be around it.
func (s Set) IsWhole(text string, meaning Meaning) bool {
	for i := range s.lists {
		for _, whole := range []string{trimMark(strings.TrimSpace(text)), polite(text, s.short[i][Please])} {
			phrases := s.indexes[i][meaning].at(strings.ToLower(whole))
			if slices.ContainsFunc(phrases, func(phrase string) bool { return sameLetters(whole, phrase) }) {
				return true
			}
		}
	}
	return false
}

// polite drops one final mark, and words of politeness at both ends.
func polite(text string, words []string) string {
	text = trimMark(strings.TrimSpace(text))
	for _, please := range words {
		lower := strings.ToLower(text)
		if len(lower) != len(text) {
			break // a letter whose lower case is longer is in no phrase
		}
		if rest, ok := cutPrefix(lower, please); ok && rest != "" {
			text = strings.TrimLeft(text[len(text)-len(rest):], " ,、，")
			lower = strings.ToLower(text)
		}
		if rest, ok := cutSuffix(lower, please); ok && rest != "" {
			text = strings.TrimRight(text[:len(rest)], " ,、，")
		}
	}
	return text
}

// trimMark drops a final full stop, or final exclamation marks. Several other marks, such as hesitating dots,
// stay.
func trimMark(text string) string {
	for _, mark := range []string{".", "!", "。", "！"} {
		rest, ok := strings.CutSuffix(text, mark)
		if mark == "!" || mark == "！" {
			rest = strings.TrimRight(rest, mark)
		}
		if ok && rest != "" && !strings.ContainsRune(".!?。！？", lastRune(rest)) {
			return strings.TrimSpace(rest)
		}
	}
	return text
}

// sameLetters reports whether text is the phrase, apart from case. Only the letters of the phrase and their
// own upper case count, so that no letter of another script, and no sign such as that for kelvin, can look
// like one of them.
func sameLetters(text, phrase string) bool {
	for _, r := range text {
		letter, size := utf8.DecodeRuneInString(phrase)
		if size == 0 || r != letter && r != unicode.ToUpper(letter) {
			return false
		}
		phrase = phrase[size:]
	}
	return phrase == ""
}

// All returns the phrases of that meaning in all languages.
func (s Set) All(meaning Meaning) (all []string) {
	for i := range s.lists {
		all = append(all, s.phrases(i, meaning)...)
	}
	return all
}

// CutFirst drops a phrase of that meaning from the beginning of text, and returns the rest as it was written.
func (s Set) CutFirst(text string, meaning Meaning) (rest string, ok bool) {
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		return "", false
	}
	for i := range s.lists {
		if rest, ok = s.cutLongest(i, lower, meaning); ok {
			return strings.TrimLeft(text[len(text)-len(rest):], " ,:"), true
		}
	}
	return "", false
}

// CutWhole drops a phrase of that meaning from the beginning of text, letter by letter as CutFirst does, with
// the marks and words of politeness behind it.
func (s Set) CutWhole(text string, meanings ...Meaning) (rest string, ok bool) {
	for _, meaning := range meanings {
		if cut, found := s.CutFirst(text, meaning); found && (!ok || len(cut) < len(rest)) {
			rest = cut
			ok = true
		}
	}
	return rest, ok
}

// Ends reports whether the text ends with a phrase of one of the meanings, apart from case and one final
// mark.
func (s Set) Ends(text string, meanings ...Meaning) bool {
	text = strings.ToLower(trimMark(text))
	for _, meaning := range meanings {
		ends := func(phrase string) bool {
			_, ok := cutSuffix(text, phrase)
			return ok
		}
		if slices.ContainsFunc(s.All(meaning), ends) {
			return true
		}
	}
	return false
}

// Index returns where a phrase of that meaning begins in text, at the beginning of a word and before any
// other, or -1. A phrase that begins with a gap ends a word there.
func (s Set) Index(text string, meaning Meaning) int {
	lower := strings.ToLower(text)
	if len(lower) != len(text) {
		return -1
	}
	last := rune(0)
	for at, r := range lower {
		if !inWord(last) || joins(r) {
			for i := range s.lists {
				if s.begins(i, lower[at:], meaning) {
					return at
				}
			}
		}
		last = r
	}
	return s.indexOfEnding(lower, meaning)
}

// indexOfEnding returns where the word ends that a phrase with a gap at its beginning ends, or -1.
func (s Set) indexOfEnding(lower string, meaning Meaning) int {
	for i := range s.lists {
		for _, phrase := range s.phrases(i, meaning) {
			ending, gapped := strings.CutPrefix(phrase, gap)
			if at := strings.Index(lower, ending); gapped && at > 0 {
				return at
			}
		}
	}
	return -1
}
