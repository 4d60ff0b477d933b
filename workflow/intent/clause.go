package intent

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// A clause is a part of a sentence between commas, colons and dashes, without emoji and emphasis.
type clause struct {
	text string
	mark byte // what ends it: a comma for all marks but a colon; 0 at the end of the sentence

	aside bool // it stands in brackets
	but   bool // it stands behind a "but" that no comma precedes
}

// spokenSentences returns the sentences that a message's writer says, as words.Sentences does, and leaves out
// what is only shown: lists, logs, commands, what a colon announces, and what is struck out.
func spokenSentences(text string) []string {
	text = words.Apostrophes(text)
	text = norm.NFKC.String(eastern.Replace(strings.TrimSpace(text))) // full-width letters are the plain ones
	text = toEverybody.ReplaceAllString(atBobbin.ReplaceAllString(text, ""), "$1")
	for _, apart := range typedTogether {
		text = apart.ReplaceAllString(text, "$1 $2")
	}
	text = typedDash.ReplaceAllString(text, "$1 - $2")
	var lines []string
	announced := false
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			announced = false
		}
		if !announced && !shown.MatchString(line) {
			lines = append(lines, line)
		}
		announced = announced || strings.HasSuffix(strings.TrimSpace(line), ":")
	}
	text = inCode.ReplaceAllString(struck.ReplaceAllString(strings.Join(lines, ""), " "), "codeword")
	return words.Sentences(emphasis.ReplaceAllString(text, "$1$2"))
}

var (
	// eastern writes the marks of Chinese and Japanese as ours.
	eastern = strings.NewReplacer(
		"。", ". ", "！", "! ", "？", "? ", "，", ", ", "、", ", ", "：", ": ", "；", "; ", "（", " (",
		"）", ") ", "｡", ". ", "､", ", ", "—", " - ", "「", `"`, "」", `"`, "『", `"`, "』", `"`, "　", " ",
		"¡", "", "¿", "",
	)
	// atBobbin matches the bot's name as people type it where Slack makes no mention of it.
	atBobbin = lazyregexp.New(`(?i)^@bobbin\b[,:]? *`)
	// toEverybody matches a mention of all people in a channel, the bot among them.
	toEverybody = lazyregexp.New(
		`(?i)(^|\s)(?:<!(?:here|channel|everyone)(?:\|[^>]*)?>|@(?:here|channel|everyone|all)\b)[,:]?`,
	)
	// typedTogether match two sentences or clauses without a space between them: "stop...wrong file", and a
	// number that is a slip of an exclamation mark: "stop!!!1".
	typedTogether = []*lazyregexp.Regexp{
		lazyregexp.New(`(\pL\.{2,})(\pL)`), lazyregexp.New(`(\pL!+)(\pL)`),
		lazyregexp.New(`(\pL!+)1[!1]*(\s|$)`),
	}
	typedDash = lazyregexp.New(`(\pL) ?(?:–|--+) ?(\pL)`)
	// shown matches a line that its writer shows and does not say: an item of a list, a log line, a command.
	shown = lazyregexp.New(`^\s*(?:\d+[.)] |[-*•+] |\[(?:attached|not read): |[$#%] |\[?\d{1,4}[:/-]\d\d|` +
		logLevel +
		`)`)
	struck = lazyregexp.New(`(?:^|\s)~[^~\n]+~`)
	// inCode matches the name of a thing in code, which is a word of its sentence but none of the writer's.
	inCode   = lazyregexp.New("`[^`\n]+`")
	emphasis = lazyregexp.New(`(^|\s|["'(])[*_]+|[*_]+(\s|[.,!?"')]|$)`)
)

const logLevel = `(?i:error|warn|info|debug|fatal|panic|npm err!?)\b`

// clauses splits a sentence at its commas, colons and dashes. Those around the name of an emoji are none.
func clauses(sentence string) (all []clause) {
	sentence = inAside.ReplaceAllString(emojiNames.ReplaceAllString(sentence, " "), ", ($1, ")
	for sentence != "" {
		at := clauseMark.FindStringIndex(sentence)
		if at == nil {
			at = []int{len(sentence), len(sentence)}
		}
		before := strings.TrimSpace(sentence[:at[0]])
		c := clause{text: plainClause(before), aside: strings.HasPrefix(before, "(")}
		switch mark := sentence[at[0]:at[1]]; {
		case strings.Contains(mark, ":"):
			c.mark = ':'
		case mark != "":
			c.mark = ','
		}
		if c.text != "" {
			all = append(all, c)
		}
		sentence = sentence[at[1]:]
	}
	return all
}

var (
	inAside    = lazyregexp.New(`\s[(\[]([^()\[\]]+)[)\]]`)
	clauseMark = lazyregexp.New(`[,;]+\s*|:+\s+|\s-+\s|\s-+$`)
	emojiNames = lazyregexp.New(`:[a-z0-9_+'-]+:(?::skin-tone-[2-6]:)?`)
)

// plainClause drops emoji, emphasis and the marks around a clause.
func plainClause(s string) string {
	s = emojiNames.ReplaceAllString(s, " ")
	s = strings.Map(func(r rune) rune {
		if unicode.In(r, unicode.So, unicode.Sk, unicode.Mn, unicode.Cf) {
			return ' '
		}
		return r
	}, s)
	return strings.Trim(strings.Join(strings.Fields(s), " "), "*_!.?/()-: \"")
}

// wordCount returns the number of words in a clause.
func (c clause) wordCount() int { return len(strings.Fields(c.text)) }

// isList reports whether the clauses are single words, as in "start, stop, restart".
func isList(all []clause) bool {
	return len(all) > 2 && !slices.ContainsFunc(all, func(c clause) bool {
		return c.wordCount() > 1 || strings.ContainsFunc(c.text, isJoined)
	})
}

// isJoined reports whether r is a letter of a script that puts no spaces between words.
func isJoined(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }
