// Package command reads the commands that people give in words or with a slash (/grill-me, /start-work,
// /diagnose and /consult), and requests to remember, correct or forget lessons of a repository. No word here
// approves anything.
package command

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// Read calls ReadFor with the consultant's own names, "consultant" and "oracle", and others.
func Read(text string, others ...string) (workflow.Command, string) {
	return ReadFor(text, append([]string{"consultant", "oracle"}, others...)...)
}

// ReadFor returns the command at the start of a message, after the bot's mention, and the text that follows
// it, without quotation marks around the whole. A question to the consultant, by one of its names, may also
// be the last sentence. There is no command in a quote, in code or elsewhere in a message.
func ReadFor(text string, consultantNames ...string) (workflow.Command, string) {
	s := words.Straighten(text)
	s = s[ownStart(s):]
	seen := covered(s)
	if at := slashed.FindStringSubmatchIndex(seen); at != nil {
		rest := ""
		if at[4] >= 0 {
			rest = s[at[4]:at[5]]
		}
		return workflow.Command(strings.ToLower(seen[at[2]:at[3]])), unquote(rest)
	}
	seen = seen[:words.Courtesy.FindStringIndex(seen)[0]]
	asks := askingFor(consultantNames)
	for _, w := range slices.Concat(asks, wordings) {
		if rest, ok := w.read(s, seen); ok {
			return w.command, rest
		}
	}
	last := lastSentence(seen)
	for _, w := range asks {
		if rest, ok := w.read(s[last:], seen[last:]); ok {
			return w.command, rest
		}
	}
	return workflow.CommandNone, ""
}

var slashed = lazyregexp.New(`(?is)^(?:please,? )?/(grill-me|start-work|diagnose|consult)(?:[\s:,]+(.*))?$`)

// A wording is a form in which people say a command: its core, then a mark or a leading word, then the rest.
// So "grill me on refunds" is a command and "grill me is broken" is not.
type wording struct {
	command workflow.Command
	form    *lazyregexp.Regexp
}

const (
	opening = `(?is)^(?:(?:please|pls|ok|okay|hey|hi|so|now|and|also|just|let's|let us)[,!]? |((?:can|` +
		`could|would|will) (?:you|we)) )*`
	leadsOn = `(?:\s*(\?)?\s*$|\s*[:,]\s*|\s+-+\s+|\s+`
)

func worded(c workflow.Command, core, on string) wording {
	return wording{c, lazyregexp.New(opening + `(?:` + core + `)` + leadsOn + on + `)`)}
}

var wordings = []wording{
	worded(workflow.CommandDiagnose, `diagnose(?: (?:this|it|that|(?:this|the) (?:bug|issue|problem)))?(?: `+
		`(?:first|only|again|now|properly))*`, `(?:and|but|before|without)\b`),
	worded(workflow.CommandDiagnose, `(?:(?:run|do|start|give (?:me|us)|(?:i|we)(?:'d like| want| need)) `+
		`a (?:full |proper )?diagnosis(?: first)?|(?:a )?diagnosis first)`, `(?:on|of|for|about)\s+`),
	worded(workflow.CommandGrillMe, `(?:grill|interview) (?:me|us)(?: (?:first|now|hard))?`,
		`(?:(?:on|about|regarding)(?:\s+|:\s*)|(?:for|before|until)\b)`),
	worded(workflow.CommandStartWork,
		`(?:write (?:me |us |up )?a (?:written )?plan(?: first)?|plan (?:this|it|that) first)`,
		`(?:(?:for|to|of|on|about)\s+|(?:before|and|then|so that)\b)`),
}

// wordingsByNames holds what asking returned, by the names: a program has one set of them.
var wordingsByNames sync.Map

// askingFor returns the wordings that ask the consultant by one of the names. They are compiled once.
func askingFor(names []string) []wording {
	key := strings.Join(names, "\n")
	if made, ok := wordingsByNames.Load(key); ok {
		return made.([]wording)
	}
	made := asking(names)
	wordingsByNames.Store(key, made)
	return made
}

// asking returns the wordings that name the consultant, or that ask for a second opinion without a name.
func asking(names []string) []wording {
	const leads = `(?:(?:on|about|regarding)\s+|(?:whether|for|before|from)\b)`
	var known []string
	for _, n := range names {
		if n = strings.Join(strings.Fields(strings.ToValidUTF8(n, "")), " "); n != "" {
			known = append(known, regexp.QuoteMeta(words.Straighten(n)))
		}
	}
	if len(known) == 0 {
		return []wording{worded(workflow.CommandConsult, secondOpinion, leads)}
	}
	slices.SortFunc(known, func(a, b string) int { return len(b) - len(a) }) // the longer name wins
	who := `(?:the |our )?@?(?:` + strings.Join(known, "|") + `)`
	return []wording{
		worded(workflow.CommandConsult, secondOpinion+`(?: from `+who+`)?`, leads),
		worded(workflow.CommandConsult, `(?:ask|consult|check with) `+who+
			`(?:'s (?:opinion|view|advice|take))?`, `(?:(?:on|about|regarding)\s+)?`),
	}
}

const secondOpinion = `(?:(?:(?:get|ask for|(?:i|we)(?:'d like| want| need)) (?:me |us )?)?a )?second opinion`

// read returns the text after the command in s, and whether s holds the command. seen is s with quotes and
// code covered, byte for byte.
func (w wording) read(s, seen string) (rest string, ok bool) {
	at := w.form.FindStringSubmatchIndex(seen)
	if at == nil {
		return "", false
	}
	requested := at[2] >= 0
	questioned := at[4] >= 0
	from := at[1]
	if kept := keptWord.FindString(seen[:from]); kept != "" {
		from -= len(kept) // words such as "whether" and "before" belong to the question
	}
	if from < len(seen) {
		rest = strings.TrimSpace(s[from:len(seen)])
	}
	switch {
	case questioned && !requested, strings.HasPrefix(rest, "?"):
		return "", false
	case w.command == workflow.CommandConsult && notNow.MatchString(rest):
		return "", false
	case pointing.MatchString(rest):
		return "", true
	}
	return unquote(rest), true
}

var (
	keptWord = lazyregexp.New(`(?i)(?:whether|for|before|until|from|and|but|without|then|so that)$`)
	// notNow matches a rest that puts the consultant off to another time, or that means a database.
	notNow = lazyregexp.New(
		`(?i)^(?:only|later|tomorrow|next time|once|after|before you|when(?:ever)? (?:you|in doubt|that ` +
			`fails|it fails|needed)|if (?:(?:you|we) (?:are stuck|get stuck|fail|need|can't|cannot|don't|` +
			`have to)|needed|necessary|in doubt|unsure|stuck|(?:it|this|that|the (?:fix|tests?|build)) ` +
			`(?:fails?|breaks?|does))|(?:db|databases?|dba|tables?|servers?|schemas?|instances?|drivers?|` +
			`clients?|support|team|docs|connections?|pages?|buttons?|screens?|forms?|views?|fields?|tab)\b)`)
	pointing = lazyregexp.New(`(?i)^(?:for )?(?:(?:this|it|that|again|first|too|now|as well|here)[.!]?)?\??$`)
)

// covered overwrites code, quotations and quoted lines, byte for byte, so that an index in the result is the
// same index in s.
func covered(s string) string {
	b := []byte(s)
	cover := func(from, to int) {
		for i := from; i < to; i++ {
			b[i] = 1
		}
	}
	for _, at := range words.Speech.FindAllStringIndex(s, -1) {
		shown := strings.TrimLeft(s[at[0]:at[1]], " \t\n")
		cover(at[1]-len(shown), at[0]+len(strings.TrimRight(s[at[0]:at[1]], " \t\n")))
	}
	place := 0
	for line := range strings.Lines(s) {
		if strings.HasPrefix(strings.TrimSpace(line), ">") {
			cover(place, place+len(strings.TrimRight(line, "\n")))
		}
		place += len(line)
	}
	return string(b)
}

// ownStart returns the index at which a message's own words begin: after what the mention leaves behind, and
// after the lines that it quotes first.
func ownStart(s string) int {
	for rest := s; ; {
		rest = strings.TrimLeft(rest, " \t\n,:;-")
		if !strings.HasPrefix(rest, ">") {
			return len(s) - len(rest)
		}
		_, rest, _ = strings.Cut(rest, "\n")
	}
}

var (
	sentenceEnd = lazyregexp.New(`[.!?]+[)\]]*\s+|\n+`)
	goesOn      = lazyregexp.New(`(?i)(?:\b(?:e\.g|i\.e|etc|vs)|(?:^|\n)\s*\d+|[:,])$`)
)

// lastSentence returns the index at which the last sentence begins.
func lastSentence(s string) int {
	at := 0
	for _, end := range sentenceEnd.FindAllStringIndex(s, -1) {
		if end[1] < len(s) && !goesOn.MatchString(s[max(0, end[0]-12):end[0]]) {
			at = end[1]
		}
	}
	return at
}

func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' && strings.Count(s, `"`) == 2 {
		return strings.TrimSpace(s[1 : len(s)-1])
	}
	return s
}
