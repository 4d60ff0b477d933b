// Package claim finds claims in a model's words that only the program may make: how many tests were added or
// pass, that something was pushed, merged or deployed, and that somebody approved. The program has seen
// these and says them itself.
//
// It reads sentences by forms, not by meaning: tables of words in English, and the shortest forms of some
// other languages. What is denied, conditional or still to come is no claim ("nothing was pushed", "before
// it is merged"). All functions are pure.
package claim

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Kind is what a claim is about.
type Kind string

// The kinds of claims.
const (
	Tests    Kind = "tests"    // how many tests there are or pass
	Push     Kind = "push"     // pushed, merged, deployed
	Approval Kind = "approval" // approved by somebody
)

// A Claim is a sentence of a text with something that only the program may say.
type Claim struct {
	Kind     Kind
	Sentence string
}

// In returns the claims in a text, in order.
func In(text string) (found []Claim) {
	for _, s := range sentences(text) {
		if kind := kindOf(s); kind != "" {
			found = append(found, Claim{kind, strings.TrimSpace(s)})
		}
	}
	return found
}

// Without returns the text without the sentences that make claims, and these.
func Without(text string) (rest string, found []Claim) {
	var b strings.Builder
	for _, s := range sentences(text) {
		if kind := kindOf(s); kind != "" {
			found = append(found, Claim{kind, strings.TrimSpace(s)})
			if strings.HasSuffix(s, "\n") && b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
				before := strings.TrimRight(b.String(), " \t")
				b.Reset()
				b.WriteString(before + "\n")
			}
			continue
		}
		b.WriteString(s)
	}
	if found == nil {
		return text, nil
	}
	return strings.TrimSpace(blankLines.ReplaceAllString(strings.TrimSpace(b.String()), "\n\n")), found
}

var blankLines = regexp.MustCompile(`[ \t]*\n(?:[ \t]*(?:[-*•]|\d+[.)])?[ \t]*\n){2,}`)

// sentences splits a text into sentences, with the blanks behind each.
func sentences(text string) (list []string) {
	for text != "" {
		end := len(text)
		if m := sentenceEnd.FindStringIndex(text); m != nil {
			end = m[1]
		}
		list = append(list, text[:end])
		text = text[end:]
	}
	return list
}

var sentenceEnd = regexp.MustCompile(`[.!?;…]+["'”’)\]*_]*[ \t]+|[.!?;…]*["'”’)\]*_]*[ \t]*\n+|[。！？]`)

// kindOf returns the kind of the claim that a sentence makes, or an empty string.
func kindOf(sentence string) Kind {
	words, _ := plaintext.Skeleton(strings.Join(strings.Fields(code.ReplaceAllString(sentence, " it ")), " "))
	words = markup.ReplaceAllString(words, "")
	for _, f := range forms() {
		for _, m := range f.form.FindAllStringIndex(words, -1) {
			if !denied.MatchString(words[:m[0]]) && !denied.MatchString(words[:firstWordEnd(words, m[0])]) && !plain(words[m[0]:m[1]], f) {
				return f.kind
			}
		}
	}
	return ""
}

// code matches code, which is a name in a sentence, and markup the marks of emphasis and lists.
var (
	code   = regexp.MustCompile("`[^`\n]*`")
	markup = regexp.MustCompile(`[*_~#>|\[\]"]+`)
)

func firstWordEnd(s string, from int) int {
	_, n := utf8.DecodeRuneInString(s[from:])
	for from+n < len(s) && s[from+n] != ' ' {
		n++
	}
	return from + n
}

// denied matches the beginning of a sentence after which nothing is claimed: it was not so, or is only to
// come.
var denied = regexp.MustCompile(`(?:\b(?:not|never|nothing|nobody|none|no one|cannot|can|could|without|before|until|unless|once|when|whenever|if|whether|will|would|shall|should|must|may|might|to be|yet to be|being|waits? (?:to be|for)|kein\w*|nicht|nichts|noch|pas|sin|non|nao|rien|nada)|n['o]t)(?: [\w'-]+){0,5} ?$`)

// strangers are words after or before which a form speaks of what the code does, such as "approved by the
// manager".
var strangers = regexp.MustCompile(`\b(?:the|a|an|any|its|their|some|somebody|someone|whoever|each|every|no|other|managers?|users?|admins?|customers?|banks?)$`)

func plain(found string, f form) bool { return f.person && strangers.MatchString(found) }
