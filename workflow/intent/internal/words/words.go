// Package words takes a person's message apart: it finds the person's own words without quotes, code and
// speech, splits them into sentences, and drops courtesy. It knows no meanings; package intent and its
// subpackages do.
package words

import (
	"strings"
	"unicode"

	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// MaxLength is the limit, in characters, of a message that is compared with the words of package intent.
const MaxLength = 600

// A Text is a person's message in the forms in which it is read. What reads it does not change it.
type Text struct {
	Raw       string
	Plain     string   // see Straighten
	Own       string   // Plain, without quoted lines
	Quoted    bool     // Plain has quoted lines
	Sentences []string // see Sentences
}

// Prepare returns a message in the forms in which it is read.
func Prepare(text string) Text {
	t := Text{Raw: text, Plain: Straighten(text)}
	t.Own, t.Quoted = OwnLines(t.Plain)
	t.Sentences = sentences(t.Plain)
	return t
}

// IsBare reports whether a message has no quote, no block of code and no mention, and only plain ASCII.
func (t Text) IsBare() bool {
	return !t.Quoted && IsPlainASCII(t.Plain) && !strings.Contains(t.Plain, "```") && !Mentions(t.Plain)
}

// Sentences returns a message's own sentences in lower case, without quotes, code and speech. The name of a
// thing in code (`cart.go`) counts as a word. Sentences returns nil if the message addresses another person.
func Sentences(text string) []string { return sentences(Straighten(text)) }

func sentences(plain string) []string {
	own, _ := OwnLines(SpellPictures(plain))
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

// Straighten replaces characters that keyboards insert by themselves, such as typographic quotes, with the
// plain ones. It also writes some emoji as Slack names them, and decodes &lt;, &gt; and &amp;.
func Straighten(s string) string { return strings.TrimSpace(typographic.Replace(Apostrophes(s))) }

// Apostrophes replaces the accents that people type for an apostrophe: "don´t", "don`t".
func Apostrophes(s string) string {
	return backquote.ReplaceAllString(acute.ReplaceAllString(s, "$1'$2"), "$1'$2")
}

var (
	acute = lazyregexp.New(`(\pL)´(\pL)`)
	// backquote matches one before the end of an English word alone, because it is also the mark of code.
	backquote = lazyregexp.New("(?i)(\\pL)`(t|s|m|d|re|ve|ll)\\b")
)

var typographic = strings.NewReplacer(
	"’", "'", "‘", "'", "ʼ", "'", "“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`,
	"👍", ":+1:", "👎", ":-1:", "✅", ":white_check_mark:", "🚀", ":rocket:", "…", "...", "–", "-", "—", "-",
	"\u00a0", " ", "\r\n", "\n",
	"&lt;", "<", "&gt;", ">", "&amp;", "&",
)

// SpellPictures writes emoji as Slack names them, for emoji that Straighten leaves as they are.
func SpellPictures(s string) string { return pictures.Replace(s) }

// pictures replaces emoji that Straighten leaves as they are, and drops the modifiers of any emoji.
var pictures = strings.NewReplacer(
	"👌", ":ok_hand:", "💯", ":100:", "✔", ":heavy_check_mark:", "🎉", ":tada:", "🙏", ":pray:",
	"🙂", ":slightly_smiling_face:", "😀", ":grinning:", "😊", ":blush:",
	"🏻", "", "🏼", "", "🏽", "", "🏾", "", "🏿", "", "\ufe0f", "",
)

// OwnLines drops the lines that a person quoted from others, and reports whether there were any.
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

// TrimAddress drops the punctuation that a mention of the bot leaves behind ("<@bot>: fix it"). A colon that
// belongs to an emoji stays.
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

// AddressesOther reports whether s begins or ends with a mention.
func AddressesOther(s string) bool { return addressesOther.MatchString(s) }

// Mentions reports whether s contains a mention.
func Mentions(s string) bool { return mentions.MatchString(s) }

// IsPlainASCII reports whether s holds only visible ASCII characters, spaces, tabs and newlines. So no letter
// of another alphabet, no full-width form and nothing invisible can look like a known character.
func IsPlainASCII(s string) bool {
	for _, r := range s {
		if r > unicode.MaxASCII || r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return false
		}
	}
	return true
}

// Polite drops "please" and a final dot, or final exclamation marks.
func Polite(s string) string {
	s = TrimAddress(s)
	s = strings.TrimSpace(trimEnd(s))
	if m := pleases.FindStringSubmatch(s); m != nil && m[1] != "" {
		s = strings.TrimRight(m[1], " ,")
	}
	return s
}

var pleases = lazyregexp.New(`(?is)^(?:please,? )?(.*?)(?:,? please)?$`)

// trimEnd drops a final dot, or final exclamation marks. Several other marks, such as hesitating dots, stay.
func trimEnd(s string) string {
	end := strings.TrimRight(s, "!")
	if end == s {
		end = strings.TrimSuffix(s, ".")
	}
	if end == "" || strings.ContainsRune(".!?", rune(end[len(end)-1])) {
		return s
	}
	return end
}

// WithoutSpeech drops code and quotations, which are words that were shown, not said.
func WithoutSpeech(s string) string { return Speech.ReplaceAllString(s, " ") }

var Speech = lazyregexp.New("(?s)```.*?(?:```|$)|`[^`]*`|\"[^\"]*\"|(?:^|\\s)'[^']*'(?:\\s|[.,!?]|$)")

// Squeeze drops invisible characters and replaces each run of white space with one space.
func Squeeze(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

// Courteous returns s without please and thanks.
func Courteous(s string) string {
	s = s[:Courtesy.FindStringIndex(s)[0]]
	return strings.TrimSpace(TrimAddress(politeStart.ReplaceAllString(s, "")))
}

// HasWord reports whether s contains a letter or a digit.
func HasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

// Expressions for parts of messages.
var (
	// Courtesy matches what people add at the end out of politeness, with the marks around it.
	Courtesy = lazyregexp.New(`(?i)(?:[\s,.!-]*(?:\b(?:please|pls|plz|thanks|thank you|thx|cheers)\b|` +
		`:[a-z0-9_+'-]+:|[\x{2600}-\x{27bf}\x{1f000}-\x{1faff}\x{fe0f}\x{200d}]+))*[\s.!,]*$`)
	onlyCode      = lazyregexp.New("^`+[^`]*`+$")
	CodeWord      = lazyregexp.New("`([^`\\s]+)`")
	endOfSentence = lazyregexp.New(`([.!?])[.!?]*\s+`)
	ClauseEnd     = lazyregexp.New(`[,;:]+\s+|\s-+\s`)
	politeStart   = lazyregexp.New(`(?i)^(?:please|pls|plz)\b[,:]? *`)
	Openers       = lazyregexp.New(`^(?:(?:(?:please|pls|plz|ok|okay|hey|hi|hm+|um+|uh|oh|ah|so|and|but|` +
		`well|btw|thanks|thank you|thx|sorry|guys|folks|just|good find|nice|i think|i guess|i fear|i'm ` +
		`afraid)\b|:[a-z0-9_+'-]+:)[,.! :-]*)+`)
	RequestForm = lazyregexp.New(`^(?:can|could|would|will|may|shall) (?:we|you)\b(?: please| just| now)* `)
)
