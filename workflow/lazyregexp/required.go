package lazyregexp

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
)

// The limits of what is looked for before an expression: a shorter text is in most sentences, and to look for
// more of them costs as much as the expression.
const (
	minRequired = 2  // bytes of each text
	maxRequired = 64 // texts
)

// requiredTexts returns texts in lower case of which every match of an expression contains at least one, or
// nil if there are none that are worth looking for: "fix|push" for "(?i)^(?:please )?(?:fix|push) it".
func requiredTexts(re *syntax.Regexp) []string {
	texts := required(re)
	if len(texts) > maxRequired || shortest(texts) < minRequired {
		return nil
	}
	return texts
}

func required(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase != 0 && slices.ContainsFunc(re.Rune, foldsOddly) {
			return nil
		}
		return []string{strings.ToLower(string(re.Rune))}
	case syntax.OpCapture, syntax.OpPlus:
		return required(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return required(re.Sub[0])
		}
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if texts := required(sub); better(texts, best) {
				best = texts
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			texts := required(sub)
			if texts == nil {
				return nil
			}
			all = append(all, texts...)
		}
		return slices.Compact(slices.Sorted(slices.Values(all)))
	}
	return nil
}

// better reports whether it is better to look for these texts than for those others. Rare texts are better,
// which is to say long ones; few are better than many.
func better(these, others []string) bool {
	const rare = 4 // bytes
	mine := min(rare, shortest(these))
	theirs := min(rare, shortest(others))
	return mine > theirs || mine == theirs && mine > 0 && len(these) < len(others)
}

// shortest returns the length of the shortest text, 0 if there is none.
func shortest(texts []string) int {
	if len(texts) == 0 {
		return 0
	}
	return len(slices.MinFunc(texts, func(a, b string) int { return len(a) - len(b) }))
}

// longS is the one letter that is equal to an ASCII letter in any case, and has itself as its lower case.
const longS = 'ſ'

// foldsOddly reports whether there is a letter that is r apart from case and has another lower case, such as
// the two small sigmas of Greek. The long s is dealt with where texts are looked for.
func foldsOddly(r rune) bool {
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		if other != longS && r != longS && unicode.ToLower(other) != unicode.ToLower(r) {
			return true
		}
	}
	return r == longS
}

// containsAny reports whether s may contain one of the texts, which are in lower case.
func containsAny(s string, texts []string) bool {
	lower := strings.ToLower(s)
	for _, text := range texts {
		if strings.Contains(lower, text) {
			return true
		}
	}
	return strings.ContainsRune(lower, longS)
}
