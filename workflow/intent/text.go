package intent

import (
	"regexp"
	"strings"
	"unicode"
)

// maxWord is how long, in characters, a message may be to be read as one of these words.
const maxWord = 600

// sentences are a message's own sentences, in lower case: without quotes, code and speech,
// with the name of a thing in code (`cart.go`) as a word; none where somebody else is spoken to.
func sentences(text string) []string {
	own, _ := ownLines(pictures.Replace(straighten(text)))
	if addressesOther.MatchString(own) {
		return nil
	}
	if !onlyCode.MatchString(own) {
		own = codeWord.ReplaceAllString(own, "$1")
	}
	var all []string
	for s := range strings.SplitSeq(endOfSentence.ReplaceAllString(withoutSpeech(own), "$1\n"), "\n") {
		if s = strings.ToLower(squeeze(s)); hasWord(s) {
			all = append(all, trimAddress(s))
		}
	}
	return all
}

// straighten makes the characters that keyboards insert by themselves into those that
// people meant.
func straighten(s string) string { return strings.TrimSpace(typographic.Replace(s)) }

var typographic = strings.NewReplacer(
	"’", "'", "‘", "'", "ʼ", "'", "“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`,
	"👍", ":+1:", "👎", ":-1:", "✅", ":white_check_mark:", "🚀", ":rocket:", "…", "...", "–", "-", "—", "-", "\u00a0", " ", "\r\n", "\n",
	"&lt;", "<", "&gt;", ">", "&amp;", "&",
)

// Pictures that straighten leaves as they are, and what may hang on any of them.
var pictures = strings.NewReplacer(
	"👌", ":ok_hand:", "💯", ":100:", "✔", ":heavy_check_mark:", "🎉", ":tada:", "🙏", ":pray:", "🙂", ":slightly_smiling_face:", "😀", ":grinning:", "😊", ":blush:",
	"🏻", "", "🏼", "", "🏽", "", "🏾", "", "🏿", "", "\ufe0f", "",
)

// ownLines drops what a person quoted of somebody else.
func ownLines(s string) (own string, quoted bool) {
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

// trimAddress drops what a mention of the bot leaves behind: "<@bot>: fix it". A colon
// that belongs to an emoji stays.
func trimAddress(s string) string {
	s = strings.Trim(s, " \t\n,;-")
	if !emojiAtEdge.MatchString(s) {
		s = strings.Trim(s, " \t\n,:;-")
	}
	return s
}

var (
	emojiAtEdge    = regexp.MustCompile(`^:[a-z0-9_+'-]+:|:[a-z0-9_+'-]+:$`)
	addressesOther = regexp.MustCompile(`^(?:<[@!]|@\S)|<@[^>]*>[.!\s]*$`)
	mentions       = regexp.MustCompile(`<[@!]`)
)

// isPlainASCII reports whether nothing in s only looks like the characters we know: no
// letters of other alphabets, no full-width forms, nothing invisible.
func isPlainASCII(s string) bool {
	for _, r := range s {
		if r > unicode.MaxASCII || r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return false
		}
	}
	return true
}

// polite drops "please" and one final dot or exclamation mark.
func polite(s string) string {
	s = trimAddress(s)
	s = strings.TrimSpace(trimEnd(s))
	if m := pleases.FindStringSubmatch(s); m != nil && m[1] != "" {
		s = strings.TrimRight(m[1], " ,")
	}
	return s
}

var pleases = regexp.MustCompile(`(?is)^(?:please,? )?(.*?)(?:,? please)?$`)

// trimEnd drops one final mark; several of them, or dots that hesitate, stay.
func trimEnd(s string) string {
	if n := len(s); n > 1 && (s[n-1] == '.' || s[n-1] == '!') && s[n-2] != '.' && s[n-2] != '!' && s[n-2] != '?' {
		return s[:n-1]
	}
	return s
}

// withoutSpeech drops code and what stands in quotation marks: words that were shown, not said.
func withoutSpeech(s string) string { return speech.ReplaceAllString(s, " ") }

var speech = regexp.MustCompile("(?s)```.*?(?:```|$)|`[^`]*`|\"[^\"]*\"|(?:^|\\s)'[^']*'(?:\\s|[.,!?]|$)")

// squeeze drops what cannot be seen and makes every run of blanks one.
func squeeze(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) || unicode.IsControl(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

func courteous(s string) string {
	s = s[:courtesy.FindStringIndex(s)[0]]
	return strings.TrimSpace(trimAddress(politeStart.ReplaceAllString(s, "")))
}

func hasWord(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

var (
	onlyCode      = regexp.MustCompile("^`+[^`]*`+$")
	codeWord      = regexp.MustCompile("`([^`\\s]+)`")
	endOfSentence = regexp.MustCompile(`([.!?])[.!?]*\s+`)
	clauseEnd     = regexp.MustCompile(`[,;:]+\s+|\s-+\s`)
	politeStart   = regexp.MustCompile(`(?i)^(?:please|pls|plz)\b[,:]? *`)
	openers       = regexp.MustCompile(`^(?:(?:(?:please|pls|plz|ok|okay|hey|hi|hm+|um+|uh|oh|ah|so|and|but|well|btw|thanks|thank you|thx|sorry|guys|folks|just|good find|nice|i think|i guess|i fear|i'm afraid)\b|:[a-z0-9_+'-]+:)[,.! :-]*)+`)
	requestForm   = regexp.MustCompile(`^(?:can|could|would|will|may|shall) (?:we|you)\b(?: please| just| now)* `)
)
