package intent

import (
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/phrases"
	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
	"github.com/bobbinhq/bobbin/workflow/lazyregexp"
)

// A Refusal is what a message says against work that is under way. A refusal permits nothing, so it is read
// liberally, where consent is read strictly.
type Refusal string

// The refusals.
const (
	RefusalNone Refusal = ""
	RefusalHold Refusal = "hold" // an objection: the result waits for a person before it is pushed
	RefusalStop Refusal = "stop" // says to stop, to wait, or not to fix, push or go on
)

// refusal reads whether a message stops approved work, or objects to it. One clause that refuses is
// enough, with a reason or without, unless the message is plainly about something else: the clause has to be
// the words of a list from its beginning to its end ("stop" in "it should stop at zero" is not), and quotes,
// code, lists and logs are not read. What is unclear is a hold. A correction ("use ceil, not floor") is no
// refusal.
//
// The consent of a message, which is about a report that waits for approval, is ConsentStop only for words
// that end work in any phase. What says to wait, or not to push, is ConsentRefuse there: the report goes on
// waiting.
func (l Lexicon) refusal(text string) Refusal {
	refusal, _ := l.readRefusal(text, spokenSentences(text))
	return refusalNow(words.Prepare(text), refusal)
}

// refusalNow returns what a message refuses whose words refuse that: nothing, if it takes an objection back.
func refusalNow(t words.Text, refusal Refusal) Refusal {
	if refusal != RefusalNone && takesBackAndGoesOn(t) {
		return RefusalNone
	}
	return refusal
}

// onlyRefuses reports whether a message says to stop or to wait, and nothing else: "wait, I found it" says
// more. spoken are its spokenSentences, and r is what it refuses.
func (l Lexicon) onlyRefuses(spoken []string, r Refusal) bool {
	if r != RefusalStop {
		return false
	}
	for _, sentence := range spoken {
		if slices.ContainsFunc(clauses(sentence), func(c clause) bool { return !l.refusesOrOpens(c) }) {
			return false
		}
	}
	return true
}

// refusalToColleague reads what a message that is said to another person, or mentions one, has against
// the work: "@ann wait, please don't push this". It does not say so to the bot, so it is a hold at most. What
// people answer to each other ("@ann one moment", "@ann no") is none.
func (l Lexicon) refusalToColleague(t words.Text) Refusal {
	own := toEverybody.ReplaceAllString(t.Own, "$1")
	if !words.AddressesOther(own) && !words.Mentions(own) {
		return RefusalNone
	}
	own = mentionedPeople.ReplaceAllString(strings.TrimSpace(own), " ")
	for _, sentence := range spokenSentences(own) {
		if r, _ := l.readSentence(sentence, l.isTalk); r != RefusalNone || objectsToPush(sentence) {
			return RefusalHold
		}
	}
	return RefusalNone
}

// mentionedPeople matches the mentions of people and groups, and the name that a message begins with.
var mentionedPeople = lazyregexp.New(`<[@!][^>]*>[,:]?|^(?:\s*@[\pL\d._-]+[,:]?)+`)

// isTalk reports whether a clause refuses nothing when it is said to a colleague.
func (l Lexicon) isTalk(c clause) bool { return l.phrases().Matches(c.text, phrases.Talk) }

// readRefusal reads a refusal. spoken are the spokenSentences of the text. ends reports whether its words end
// work in any phase, and not only approved work.
func (l Lexicon) readRefusal(text string, spoken []string) (refusal Refusal, ends bool) {
	if l.refusesByEmoji(text) {
		refusal = RefusalHold
	}
	for _, sentence := range spoken {
		r, stops := l.readSentence(sentence, nil)
		if r == RefusalNone && objectsToPush(sentence) {
			r = RefusalHold
		}
		refusal = stronger(refusal, r)
		ends = ends || stops
	}
	return refusal, ends
}

func stronger(a, b Refusal) Refusal {
	if a == RefusalStop || b == RefusalNone {
		return a
	}
	return b
}

// readSentence returns the strongest refusal of a sentence. Clauses for which ignores is true refuse nothing.
func (l Lexicon) readSentence(sentence string, ignores func(clause) bool) (refusal Refusal, ends bool) {
	all := l.splitAtBut(clauses(sentence))
	if isList(all) && slices.ContainsFunc(all, func(c clause) bool { return !l.refusesOrOpens(c) }) {
		return RefusalNone, false
	}
	led := true // what came before the clause refuses, too, or only opens the sentence
	for i, c := range all {
		m := l.find(c.text)
		r := l.weigh(m, all, i, led || c.but)
		objects := m.Meaning == phrases.None && (i == 0 || all[i-1].mark != ':' || led) && l.objects(all, i)
		if objects {
			r = RefusalHold
		}
		if r != RefusalNone && ignores != nil && ignores(c) {
			r = RefusalNone
		}
		if r != RefusalNone && strings.HasSuffix(sentence, "?") &&
			!(objects && asksToWait.MatchString(c.text)) {
			r = l.weighQuestion(r, all, i)
		}
		refusal = stronger(refusal, r)
		ends = ends || r == RefusalStop && m.Meaning == phrases.Stop
		led = led && i+1 < len(all) && (l.refusesOrOpens(c) || l.praises(c.text))
	}
	return refusal, ends
}

// objects reports whether the clause at that index objects in words that no list has: to work that it names,
// to going on without a person, or that its writer is in the wrong place ("sorry, wrong thread").
func (l Lexicon) objects(all []clause, at int) bool {
	text := all[at].text
	if objectsToWork(text) || awaitsPerson(text) {
		return true
	}
	sorry := at > 0 && l.phrases().Is(all[at-1].text, phrases.Apology) ||
		at < len(all)-1 && l.phrases().Is(all[at+1].text, phrases.Apology)
	return sorry && l.find("sorry "+text).Meaning == phrases.Hold
}

// splitAtBut splits the clauses that refuse behind a "but" without a comma: "looks good but don't push yet".
// What stands before it has to praise or agree, unless what stands behind it is about a push.
func (l Lexicon) splitAtBut(all []clause) (split []clause) {
	for _, c := range all {
		at := butWithin.FindStringSubmatchIndex(c.text)
		if at == nil {
			split = append(split, c)
			continue
		}
		before := c
		behind := c
		before.text = strings.TrimSpace(c.text[:at[0]])
		before.mark = ','
		behind.text = strings.TrimSpace(c.text[at[1]:])
		behind.but = true
		m := l.find(behind.text)
		firm := m.Meaning == phrases.Stop || m.Meaning == phrases.Wait
		if before.text == "" || m.Meaning == phrases.None ||
			!l.praises(before.text) && !(firm && aboutPush.MatchString(behind.text)) {
			split = append(split, c)
			continue
		}
		split = append(split, before, behind)
	}
	return split
}

// praises reports whether a clause only agrees with what was shown, or thanks for it.
func (l Lexicon) praises(clause string) bool {
	if l.phrases().Is(clause, phrases.Praise) || l.agrees(clause) {
		return true
	}
	rest, found := l.phrases().CutFirst(clause, phrases.Yes)
	return found && (rest == "" || l.phrases().OnlyTails(rest))
}

var (
	butWithin = lazyregexp.New(
		`(?i)[\s,]+(?:but|however|aber|doch|jedoch|mais|pero|però|ma|maar|ale|jednak|mas|porém)\s+|` +
			`(?:但是|但|不过|でも|ですが|けど|けれど|しかし|하지만|그런데)[\s,]*`,
	)
	aboutPush = lazyregexp.New(
		`(?i)push|merg|ship|deploy|releas|commit|go (?:on|ahead|live)|fix|pouss|subas|sub[ai]r|publi|` +
			`auslief|freigeb|hochlad|wdraż|wypych`,
	)
)

func (l Lexicon) refusesOrOpens(c clause) bool {
	return l.phrases().IsOpener(c.text) || l.find(c.text).Meaning != phrases.None
}

// find finds what a clause refuses. Of words between slashes each has to refuse: "stop/halt", and not
// "start/stop".
func (l Lexicon) find(clause string) (first phrases.Match) {
	if first = l.phrases().Find(clause); first.Meaning != phrases.None || !inSlashes.MatchString(clause) {
		return first
	}
	for i, part := range strings.Split(clause, "/") {
		m := l.phrases().Find(strings.TrimSpace(part))
		if m.Meaning == phrases.None {
			return phrases.Match{}
		}
		if i == 0 {
			first = m
		}
	}
	return first
}

var inSlashes = lazyregexp.New(`^\pL[\pL' ]*(?:/ ?\pL[\pL' ]*)+$`)

// weigh returns what the phrase found in the clause at that index refuses.
func (l Lexicon) weigh(m phrases.Match, all []clause, at int, led bool) Refusal {
	last := at == len(all)-1
	informs := l.phrases().Begins(m.Reason, phrases.Inform) ||
		!last && l.phrases().Begins(all[at+1].text, phrases.Inform)
	instead := !last && !l.refusesOrOpens(all[at+1]) && l.phrases().Says(all[at+1].text, phrases.Instead)
	shown := at > 0 && all[at-1].mark == ':' && !led
	switch {
	case m.Meaning == phrases.None, shown:
		return RefusalNone
	case m.Meaning == phrases.Wait && (admires.MatchString(m.Reason) ||
		!last && admires.MatchString(all[at+1].text)):
		return RefusalNone // "wait, that's awesome"
	case m.Meaning == phrases.No:
		return l.weighNo(m, all, at, led)
	case m.Meaning == phrases.Hold, m.Partial, m.Meaning == phrases.Wait && informs: // "wait, I found it"
		return RefusalHold
	case all[at].mark == ':' && !(!last && l.refusesOrOpens(all[at+1])):
		return RefusalNone // "wait: no child processes" is a log
	case !led:
		return weighLate(m, all, at)
	case instead:
		return RefusalHold // "stop, look at tax first" says what to do
	}
	return RefusalStop
}

// admires matches what people exclaim about what they see.
var admires = lazyregexp.New(
	`(?i)^(?:(?:that|this|it) ?(?:'?s|is|looks) (?:so |really |actually |just |pretty |very |` +
		`super )*(?:awesome|amazing|cool|great|brilliant|nice|wonderful|fantastic|hilarious|funny|` +
		`crazy|interesting|clever|impressive|neat|beautiful|wild|insane|perfect|lovely|excellent)|wow|` +
		`(?:i )?love (?:it|this|that)|so cool|how cool)(?: (?:work|job|stuff|find|catch))?$`,
)

// weighNo weighs a bare "no". Alone, or before an objection or a reason, it holds. Before other words it
// answers or corrects: "no, only the header".
func (l Lexicon) weighNo(m phrases.Match, all []clause, at int, led bool) Refusal {
	reason := m.Reason
	if at < len(all)-1 {
		next := all[at+1]
		if !l.refusesOrOpens(next) && !l.phrases().Begins(next.text, phrases.Reason) {
			return RefusalNone
		}
		reason = next.text
	}
	if l.phrases().Says(reason, phrases.Instead) || l.letsGo(reason) || !led && reason == "" {
		return RefusalNone
	}
	return RefusalHold
}

// weighLate weighs a clause behind other words. A single word there may be a step of a description
// ("click pay, wait, reload").
func weighLate(m phrases.Match, all []clause, at int) Refusal {
	last := at == len(all)-1
	short := all[at-1].wordCount() < 3
	switch {
	case at == 1 && looksLikeName.MatchString(all[0].text):
		return RefusalHold // "Sam, hold on" may be said to Sam
	case all[at].wordCount() > 1:
		return RefusalStop
	case all[at].aside:
		return RefusalNone // "the red button (stop)"
	case !last || short:
		return RefusalNone
	case m.Meaning == phrases.Wait:
		return RefusalHold
	}
	return RefusalStop
}

// looksLikeName matches a word that may be a name, with which its writer speaks to somebody.
var looksLikeName = lazyregexp.New(`^\p{Lu}\p{Ll}{1,11}$`)

// weighQuestion weighs a refusal in a question: "can you stop?" asks for it, "wait, is that right?" is a
// hold, and "stop?" is only a question.
func (l Lexicon) weighQuestion(r Refusal, all []clause, at int) Refusal {
	switch {
	case l.phrases().Begins(all[at].text, phrases.Ask):
		return r
	case at < len(all)-1:
		return RefusalHold
	}
	return RefusalNone
}

// refusesByEmoji reports whether a message is made of emoji of which one refuses, ends with one behind a few
// words, or begins with one that could be a "no" there: "👎 from me".
func (l Lexicon) refusesByEmoji(text string) bool {
	own, _ := words.OwnLines(words.Straighten(refusingPictures.Replace(words.SpellPictures(text))))
	own = toEverybody.ReplaceAllString(own, "$1")
	if words.AddressesOther(own) {
		return false
	}
	own = strings.TrimSpace(words.WithoutSpeech(own))
	var last string
	refuses := false
	for _, at := range emojiNames.FindAllStringIndex(own, -1) {
		last, _, _ = strings.Cut(own[at[0]+1:at[1]], ":")
		refuses = refuses || RefusingReaction(last)
	}
	behindFew := strings.HasSuffix(own, ":") && !strings.HasPrefix(own, ":") && RefusingReaction(last)
	text = plainClause(own)
	switch {
	case own == "-1", refuses && text == "":
		return true
	case strings.HasPrefix(own, ":") && refuses, strings.HasPrefix(own, "-1 "):
		return l.phrases().Find("no "+strings.TrimPrefix(text, "1 ")).Meaning != phrases.None
	}
	return behindFew && len(strings.Fields(text)) < 5
}

// RefusingReaction reports whether an emoji says no. name is as Slack names it, without the skin tone.
func RefusingReaction(name string) bool { return slices.Contains(refusingReactions, name) }

var refusingReactions = []string{
	"-1", "thumbsdown", "x", "negative_squared_cross_mark", "heavy_multiplication_x", "octagonal_sign",
	"stop_sign", "no_entry", "no_entry_sign", "no_good", "raised_hand", "hand", "double_vertical_bar",
	"black_square_for_stop",
}

// refusingPictures writes the emoji that refuse as Slack names them.
var refusingPictures = strings.NewReplacer(
	"❌", ":x:", "❎", ":negative_squared_cross_mark:", "✖", ":heavy_multiplication_x:",
	"🛑", ":octagonal_sign:",
	"⛔", ":no_entry:", "🚫", ":no_entry_sign:", "🙅", ":no_good:", "✋", ":raised_hand:",
	"⏸", ":double_vertical_bar:", "⏹", ":black_square_for_stop:",
)
