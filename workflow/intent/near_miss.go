package intent

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/phrases"
	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
)

// readNearMiss reads a message that is almost an approval: with a slip of the keyboard ("fixit"), a yes in
// any of the languages, or a phrase with words around it ("corrígelo ya"). People are asked what they mean by
// it.
func (l Lexicon) readNearMiss(own string) Consent {
	text := strings.TrimSpace(words.Squeeze(words.WithoutSpeech(own)))
	asks := strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？")
	if asks || utf8.RuneCountInString(text) > maxNearMiss {
		return Consent{}
	}
	if l.isSlip(text) || l.phrases().IsWhole(text, phrases.Yes) {
		return Consent{Kind: ConsentUnclear}
	}
	agreed := false
	rest := text
	for {
		head, tail, found := cutClause(rest)
		if !found || !l.phrases().IsWhole(head, phrases.Yes) {
			break
		}
		agreed = true
		rest = tail
	}
	scope, condition := l.limitIn(rest, agreed)
	begins := l.phrases().Begins(rest, phrases.Near) || l.phrases().Begins(rest, phrases.Approve)
	if begins && scope == "" && condition == "" {
		if scope = unread(rest); scope == "" {
			scope = l.unreadIn(rest)
		}
	}
	if begins || agreed && (scope != "" || condition != "") {
		return Consent{Kind: ConsentUnclear, Scope: scope, Condition: condition}
	}
	if l.phrases().Index(rest, phrases.When) >= 0 && l.phrases().Ends(rest, phrases.Approve, phrases.Near) {
		return Consent{Kind: ConsentUnclear, Condition: text} // "明日修正してください"
	}
	return Consent{}
}

// maxNearMiss is the limit, in characters, of a message that may be a slip of an approval: what is longer
// says more.
const maxNearMiss = 80

// cutClause cuts a text at its first comma, full stop or dash.
func cutClause(text string) (head, tail string, found bool) {
	at := strings.IndexAny(text, ",.;!，。、！")
	if at < 0 {
		return text, "", false
	}
	_, size := utf8.DecodeRuneInString(text[at:])
	return strings.TrimSpace(text[:at]), strings.TrimSpace(text[at+size:]), true
}

// limitIn returns the words of a near miss that limit it, and those of a condition or a time. They stand
// behind the words that approve, or behind a "but" at the beginning of a clause. agreed says that a yes
// stands before the text.
func (l Lexicon) limitIn(text string, agreed bool) (scope, condition string) {
	tail, approves := l.phrases().CutWhole(text, phrases.Approve, phrases.Near)
	if !approves {
		tail = text
	}
	for clauses := approves || agreed; ; clauses = true {
		if clauses {
			if scope, condition = l.splitWhen(tail); scope != "" || condition != "" {
				return scope, condition
			}
		}
		_, rest, found := cutClause(tail)
		if !found {
			return "", ""
		}
		tail = rest
	}
}

// splitWhen reads a clause that limits a yes: the limit, which begins with a "but" or with what leaves
// something out, and the condition or the time in it.
func (l Lexicon) splitWhen(clause string) (scope, condition string) {
	limit, limited := l.phrases().CutFirst(clause, phrases.But)
	if !limited {
		limit = clause
		limited = l.phrases().Begins(clause, phrases.Except)
	}
	if !limited {
		limit = clause
	}
	at := l.phrases().Index(maskUnconditional(limit), phrases.When)
	switch {
	case at < 0 && limited:
		return limit, ""
	case at < 0:
		return "", ""
	case strings.ContainsFunc(limit[at:], isJoined):
		return "", strings.Trim(limit, " ,，、")
	case !limited:
		return "", limit[at:]
	}
	before := strings.Trim(limit[:at], " ,")
	if l.phrases().IsWhole(before, phrases.But) || l.phrases().IsWhole(before, phrases.Except) {
		return "", limit // "mas só amanhã"
	}
	return before, limit[at:]
}

// isSlip reports whether the letters of a message are those of a phrase of approval but for one: "fixit",
// "aproved".
func (l Lexicon) isSlip(word string) bool {
	if !words.IsPlainASCII(word) {
		return false
	}
	typed := lettersOnly(word)
	return slices.ContainsFunc(l.phrases().All(phrases.Approve), func(phrase string) bool {
		meant := lettersOnly(phrase)
		return len(meant) > 4 && words.IsPlainASCII(phrase) && oneApart(typed, meant)
	})
}

func lettersOnly(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// oneApart reports whether two words are the same but for one letter, which is missing, doubled, wrong, or
// swapped with its neighbour.
func oneApart(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	start := 0
	for start < len(a) && a[start] == b[start] {
		start++
	}
	if len(b)-len(a) == 1 {
		return a[start:] == b[start+1:]
	}
	if len(a) != len(b) {
		return false
	}
	if start == len(a) || a[start+1:] == b[start+1:] {
		return true
	}
	return start+1 < len(a) && a[start] == b[start+1] && a[start+1] == b[start] && a[start+2:] == b[start+2:]
}
