package workflow

import (
	"fmt"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A HelpQuestion says who asks for help, and where.
type HelpQuestion struct {
	Reader  Person // who alone reads the help; zero: everybody in the channel does
	Guests  bool   // guests may read it
	Channel string // id of a channel or of a direct message
}

// A Help is what somebody is told who asks what the bot can do, in a channel or in a direct message. The App
// Home has its Short. The program knows all of it, so no model is asked.
type Help struct {
	Place        HelpPlace
	Thread       string           // what the thread waits for, in a sentence; empty: nothing, or no thread
	Repositories []HelpRepository // those that a thread of the place may be about
	Others       int              // how many more there are
	Unconfigured bool             // the configuration names no repository at all
	Limits       Limits
	DocsURL      string // page about how to use the bot
	Page         string // URL of the list of sessions, for one reader; empty: there is none
}

// A HelpPlace is where help was asked for.
type HelpPlace string

// The places.
const (
	HelpInChannel HelpPlace = ""
	HelpDirect    HelpPlace = "direct" // a direct message to the bot
)

// A HelpRepository is one repository that a help names.
type HelpRepository struct {
	Name, Base string
	Own        bool   // the place is a channel of the repository
	Approvers  string // who may approve, in a sentence without its full stop
	May        string // whether the reader may, in a sentence; empty: the help is for several readers
	Past       Past
}

// A Past is what pushed changes to a repository took, as far as it is recorded: medians.
type Past struct {
	Pushed int // number of sessions
	USD    float64
	Tokens int64
	Worked time.Duration
}

// String says what a change took, or returns an empty string if nothing was pushed yet.
func (p Past) String() string {
	if p.Pushed == 0 {
		return ""
	}
	var parts []string
	switch {
	case p.USD > 0:
		parts = append(parts, "about "+dollars(p.USD))
	case p.Tokens > 0: // no price is known, so no money was counted
		parts = append(parts,
			"about "+plaintext.FormatCount(p.Tokens)+" tokens (no price is known)")
	}
	if p.Worked > 0 {
		parts = append(parts, plaintext.FormatDuration(p.Worked)+" of work")
	}
	if len(parts) == 0 {
		return ""
	}
	of := "the last pushed change"
	if p.Pushed > 1 {
		of = fmt.Sprintf("each of the last %d pushed changes", p.Pushed)
	}
	return of + " took " + plaintext.And(parts)
}

// A HelpPart is one part of a help: its title, and lines of Markdown.
type HelpPart struct {
	Title string
	Lines []string
}

// HelpLead is the first sentence of every help.
const HelpLead = "I find the cause of a bug, fix it once somebody approves that, and add features."

// Parts returns the parts of the help, in order.
func (h Help) Parts() (parts []HelpPart) {
	add := func(title string, lines ...string) {
		if len(lines) > 0 {
			parts = append(parts, HelpPart{title, lines})
		}
	}
	if h.Thread != "" {
		add("This thread", h.Thread)
	}
	add("What to write", h.whatToWrite()...)
	add("Who may approve here", h.whoApproves()...)
	add("Repositories", h.repositories()...)
	add("Commands", helpCommands...)
	add("What it costs", h.costs()...)
	add("More", h.more()...)
	return parts
}

// Short returns the few lines with which an App Home begins: what the bot does, how to begin, and where the
// rest is said.
func (h Help) Short() string {
	lines := []string{
		HelpLead,
		"Mention me in a channel, or write me a direct message, and say what broke. In my threads just " +
			`reply; "stop" stops me.`,
	}
	if h.Unconfigured {
		lines = append(lines, h.repositories()...)
	}
	rest := "`/bobbin help` in a channel, or `help` in a message to me, says who may approve, what else " +
		"I do and what it costs."
	if h.DocsURL != "" {
		rest += " [How to work with me](" + h.DocsURL + ")"
	}
	return strings.Join(append(lines, rest), "\n")
}

// Markdown returns the whole help as a text.
func (h Help) Markdown() string {
	texts := []string{HelpLead}
	for _, p := range h.Parts() {
		texts = append(texts, "**"+p.Title+"**\n"+strings.Join(p.Lines, "\n"))
	}
	return strings.Join(texts, "\n\n")
}

func (h Help) whatToWrite() []string {
	begin := "Mention me in a channel, or write me a direct message. In a thread that I am in, just reply."
	if h.Place == HelpDirect {
		begin = "Just write, here or in a channel where you mention me. Below my answer, just reply."
	}
	return []string{
		begin,
		"• *A bug*: what broke, when it breaks, what works, where to look. I report the cause and change " +
			"nothing before somebody approves.",
		"• *A feature*: what it affects, what has to be used or kept, how to tell that it is done.",
		"• *A question* about the code.",
		"For example: `orders with a coupon give back 2 cents too much since Tuesday; without one they are " +
			"right; look at money/split.go`",
		`Every reply corrects me while I work, and "stop" stops me.`,
	}
}

// whoApproves says once what holds for all repositories, or else for each.
func (h Help) whoApproves() (lines []string) {
	same := true
	for _, r := range h.Repositories {
		same = same && r.Approvers == h.Repositories[0].Approvers && r.May == h.Repositories[0].May
	}
	for _, r := range h.Repositories {
		line := strings.TrimSpace(r.Approvers + ". " + r.May)
		if !same {
			line = "• " + plaintext.CodeSpan(r.Name) + ": " + line
		}
		lines = append(lines, line)
		if same {
			break
		}
	}
	if len(lines) > 0 {
		lines = append(lines, `To approve, press "Fix it" below a report, or reply "fix it"; `+
			`"fix only …" limits it.`)
	}
	return lines
}

// repositories names what a thread may be about, or says what the operator has to do.
func (h Help) repositories() (lines []string) {
	own := 0
	for _, r := range h.Repositories {
		line := "• " + plaintext.CodeSpan(r.Name)
		if r.Base != "" {
			line += ", branch " + plaintext.CodeSpan(r.Base)
		}
		if r.Own {
			own++
		}
		lines = append(lines, line)
	}
	if h.Others > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", h.Others))
	}
	switch {
	case h.Unconfigured:
		return []string{"None is configured yet, so I can look at nothing. My operator adds one under " +
			"`repositories:` in bobbin.yaml."}
	case len(lines) == 0 && h.Place == HelpInChannel:
		return []string{"None is open to this channel. My operator adds the channel to one, under " +
			"`channels:` in bobbin.yaml."}
	case len(lines) == 0:
		return []string{"None is open here. Write in the channel of one; my operator opens one to others " +
			"under `channels:` in bobbin.yaml."}
	case len(h.Repositories) > 1 && own != 1:
		lines = append(lines, "Say which one it is about: "+
			plaintext.CodeSpan("repo:"+h.Repositories[0].Name)+".")
	case h.Place == HelpInChannel && own == 0:
		lines = append(lines, "It is not bound to this channel; my operator can do that under `channels:`.")
	}
	return lines
}

// helpCommands lists what begins with a slash.
var helpCommands = []string{
	"• `/bobbin report`: a form for a bug; `/bobbin status`: what I do in this channel; `/bobbin stop`: " +
		"names what runs here, to stop it; `/bobbin help`: this",
	"• `/diagnose \"…\"`: a Diagnosis Report; `/grill-me \"…\"`: I ask you until a feature is clear; " +
		"`/start-work \"…\"`: a written plan first; `/consult \"…\"`: a second opinion",
	"Slack runs no slash command inside a thread: mention me there, and write the same words.",
}

// costs says what is known: the limits, and what the past took. It never says a price that nobody knows.
func (h Help) costs() (lines []string) {
	var most []string
	for _, unit := range []Unit{UnitUSD, UnitTokens, UnitMinutes} {
		if n := h.Limits[SpanSession][unit]; n > 0 {
			most = append(most, LimitOf(SpanSession, unit).amount(n))
		}
	}
	if len(most) > 0 {
		lines = append(lines,
			"At "+strings.Join(most, " or ")+" one request stops, and I ask before I go on.")
	}
	var days []string
	for _, span := range []Span{SpanPersonDay, SpanChannelDay, SpanDay} {
		whose := map[Span]string{
			SpanPersonDay: "a person", SpanChannelDay: "a channel", SpanDay: "all together",
		}[span]
		for _, unit := range []Unit{UnitUSD, UnitTokens, UnitMinutes} {
			if n := h.Limits[span][unit]; n > 0 {
				days = append(days, whose+" "+LimitOf(span, unit).amount(n))
			}
		}
	}
	if len(days) > 0 {
		lines = append(lines, "In a day: "+strings.Join(days, ", ")+".")
	}
	for _, r := range h.Repositories {
		if past := r.Past.String(); past != "" {
			lines = append(lines, "In "+plaintext.CodeSpan(r.Name)+" "+past+".")
		}
	}
	if len(lines) == 0 {
		lines = []string{"No limit is configured, and no change was pushed here yet, so I cannot say. " +
			"Each result says what it took."}
	}
	return lines
}

func (h Help) more() (lines []string) {
	if h.Page != "" {
		lines = append(lines, "[All sessions on a page]("+h.Page+"). The link is yours alone.")
	}
	if h.DocsURL != "" {
		lines = append(lines, "[How to work with me]("+h.DocsURL+")")
	}
	return lines
}
