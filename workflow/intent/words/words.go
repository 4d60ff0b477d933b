// Package words takes apart what a person wrote: what of a message is said, and not quoted, code or
// speech; its sentences; courtesy, which means nothing. It knows no meanings: those are package
// intent's and its other rooms'.
package words

import (
	"strings"
	"unicode"

	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// MaxLength is how long, in characters, a message may be to be read as one of these words.
const MaxLength = 600

// Sentences are a message's own sentences, in lower case: without quotes, code and speech,
// with the name of a thing in code (`cart.go`) as a word; none where somebody else is spoken to.
func Sentences(text string) []string {
	own, _ := OwnLines(SpellPictures(Straighten(text)))
	if AddressesOther(own) {
		return nil
	}
	if !onlyCode.MatchString(own) {
		own = CodeWord.ReplaceAllString(own, "$1")
	}
	var all []string
	for s := range strings.SplitSeq(endOfSentence.ReplaceAllString(WithoutSpeech(own), "$1\n"), "\n") {
		if s = strings.ToLower(Squeeze(s)); HasWord(s) {
			all = append(all, TrimAddress(s))
		}
	}
	return all
}

// Straighten makes the characters that keyboards insert by themselves into those that
// people meant.
func Straighten(s string) string { return strings.TrimSpace(typographic.Replace(s)) }

var typographic = strings.NewReplacer(
	"’", "'", "‘", "'", "ʼ", "'", "“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`,
	"👍", ":+1:", "👎", ":-1:", "✅", ":white_check_mark:", "🚀", ":rocket:", "…", "...", "–", "-", "—", "-", "\u00a0", " ", "\r\n", "\n",
	"&lt;", "<", "&gt;", ">", "&amp;", "&",
)

// SpellPictures writes emoji as Slack names them, also those that Straighten leaves as they are.
func SpellPictures(s string) string { return pictures.Replace(s) }

// Pictures that Straighten leaves as they are, and what may hang on any of them.
var pictures = strings.NewReplacer(
	"👌", ":ok_hand:", "💯", ":100:", "✔", ":heavy_check_mark:", "🎉", ":tada:", "🙏", ":pray:", "🙂", ":slightly_smiling_face:", "😀", ":grinning:", "😊", ":blush:",
	"🏻", "", "🏼", "", "🏽", "", "🏾", "", "🏿", "", "\ufe0f", "",
)

// OwnLines drops what a person quoted of somebody else.
func OwnLines(s string) (own string, quoted bool) {
	var kept []string
	for line := range strings.Lines(s) {
		if strings.HasPrefix(strings.TrimSpace(line), ">") {
			quoted = true
			continue
		}
		kept = append(kept, line)
	}
	return strings.TrimSpace(strings.Join(kept, "")), quoted
}

// TrimAddress drops what a mention of the bot leaves behind: "<@bot>: fix it". A colon
// that belongs to an emoji stays.
func TrimAddress(s string) string {
	s = strings.Trim(s, " \t\n,;-")
	if !emojiAtEdge.MatchString(s) {
		s = strings.Trim(s, " \t\n,:;-")
	}
	return s
}

var (
	emojiAtEdge    = lazyregexp.New(`^:[a-z0-9_+'-]+:|:[a-z0-9_+'-]+:$`)
	addressesOther = lazyregexp.New(`^(?:<[@!]|@\S)|<@[^>]*>[.!\s]*$`)
	mentions       = lazyregexp.New(`<[@!]`)
)

// AddressesOther reports whether the words begin or end with a mention of somebody.
func AddressesOther(s string) bool { return addressesOther.MatchString(s) }

// Mentions reports whether somebody is mentioned anywhere.
func Mentions(s string) bool { return mentions.MatchString(s) }

// IsPlainASCII reports whether nothing in s only looks like the characters we know: no
// letters of other alphabets, no full-width forms, nothing invisible.
func IsPlainASCII(s string) bool {
	for _, r := range s {
		if r > unicode.MaxASCII || r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return false
		}
	}
	return true
}

// Polite drops "please" and one final dot or exclamation mark.
func Polite(s string) string {
	s = TrimAddress(s)
	s = strings.TrimSpace(trimEnd(s))
	if m := pleases.FindStringSubmatch(s); m != nil && m[1] != "" {
		s = strings.TrimRight(m[1], " ,")
	}
	return s
}

var pleases = lazyregexp.New(`(?is)^(?:please,? )?(.*?)(?:,? please)?$`)

// trimEnd drops one final mark; several of them, or dots that hesitate, stay.
func trimEnd(s string) string {
	if n := len(s); n > 1 && (s[n-1] == '.' || s[n-1] == '!') && s[n-2] != '.' && s[n-2] != '!' && s[n-2] != '?' {
		return s[:n-1]
	}
	return s
}

// WithoutSpeech drops code and what stands in quotation marks: words that were shown, not said.
func WithoutSpeech(s string) string { return Speech.ReplaceAllString(s, " ") }

var Speech = lazyregexp.New("(?s)```.*?(?:```|$)|`[^`]*`|\"[^\"]*\"|(?:^|\\s)'[^']*'(?:\\s|[.,!?]|$)")

// Squeeze drops what cannot be seen and makes every run of blanks one.
func Squeeze(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// Courteous is s without please and thanks.
func Courteous(s string) string {
	s = s[:Courtesy.FindStringIndex(s)[0]]
	return strings.TrimSpace(TrimAddress(politeStart.ReplaceAllString(s, "")))
}

// HasWord reports whether there is a letter or a digit.
func HasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// Parts of messages that readers look for.
var (
	// What people add out of politeness, with the marks around it.
	Courtesy      = lazyregexp.New(`(?i)(?:[\s,.!-]*(?:\b(?:please|pls|plz|thanks|thank you|thx|cheers)\b|:[a-z0-9_+'-]+:|[\x{2600}-\x{27bf}\x{1f000}-\x{1faff}\x{fe0f}\x{200d}]+))*[\s.!,]*$`)
	onlyCode      = lazyregexp.New("^`+[^`]*`+$")
	CodeWord      = lazyregexp.New("`([^`\\s]+)`")
	endOfSentence = lazyregexp.New(`([.!?])[.!?]*\s+`)
	ClauseEnd     = lazyregexp.New(`[,;:]+\s+|\s-+\s`)
	politeStart   = lazyregexp.New(`(?i)^(?:please|pls|plz)\b[,:]? *`)
	Openers       = lazyregexp.New(`^(?:(?:(?:please|pls|plz|ok|okay|hey|hi|hm+|um+|uh|oh|ah|so|and|but|well|btw|thanks|thank you|thx|sorry|guys|folks|just|good find|nice|i think|i guess|i fear|i'm afraid)\b|:[a-z0-9_+'-]+:)[,.! :-]*)+`)
	RequestForm   = lazyregexp.New(`^(?:can|could|would|will|may|shall) (?:we|you)\b(?: please| just| now)* `)
)
