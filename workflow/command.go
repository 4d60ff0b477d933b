package workflow

import (
	"regexp"
	"strings"
)

// A Command is a word that starts a way of working. Slack runs no slash commands inside a
// thread, so there they are words of a message.
type Command string

// The commands.
const (
	CommandNone      Command = ""
	CommandGrillMe   Command = "grill-me"
	CommandStartWork Command = "start-work"
	CommandDiagnose  Command = "diagnose"
	CommandConsult   Command = "consult"
)

var (
	slashed  = regexp.MustCompile(`(?is)^/(grill-me|start-work|diagnose|consult)(?:[\s:,]+(.*))?$`)
	diagnose = regexp.MustCompile(`(?is)^(?:please,? )?diagnose(?: (?:this|it))?(?:,? please)?[.!]?(?:\s*[:,-]\s*(.*))?$`)
)

// ReadCommand finds the command at the start of a message, after the bot's mention, and
// what follows it; quotation marks around all of that are dropped. In the middle of a
// message, in a quote or in code there is none.
func ReadCommand(text string) (Command, string) {
	s := trimAddress(straighten(text))
	if m := slashed.FindStringSubmatch(s); m != nil {
		return Command(strings.ToLower(m[1])), unquote(m[2])
	}
	if m := diagnose.FindStringSubmatch(s); m != nil {
		return CommandDiagnose, unquote(m[1])
	}
	return CommandNone, ""
}

func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && s[0] == '"' && s[len(s)-1] == '"' && strings.Count(s, `"`) == 2 {
		return strings.TrimSpace(s[1 : len(s)-1])
	}
	return s
}

var (
	asksConsultant = `(?:please,? )?(?:ask|consult) (?:the )?(?:%s)\b[:,]?(?: (?:on|about))?\s*(.*)$`
	secondOpinion  = regexp.MustCompile(`(?is)^(?:please,? )?get a second opinion(?: (?:on|about))?[:,]?\s*(.*)$`)
	interviewMe    = regexp.MustCompile(`(?is)^(?:please,? )?(?:grill|interview) me(?: (?:on|about))?[:,]?\s*(.*)$`)
	planFirst      = regexp.MustCompile(`(?is)^(?:please,? )?(?:write a plan(?: first)?|plan (?:this|it) first)(?:\s*(?:for|:|,)\s*(.*))?[.!]?$`)
	diagnosisFirst = regexp.MustCompile(`(?is)^(?:please,? )?(?:run a diagnosis|diagnosis first)(?:,? please)?[.!]?$`)
	sentenceEnd    = regexp.MustCompile(`[.!?]\s+|\n`)
)

// ReadCommandFor is ReadCommand where the consultant goes by the given names. A question
// to the consultant may also be the last sentence of a message.
func ReadCommandFor(text string, consultantNames ...string) (Command, string) {
	if c, rest := ReadCommand(text); c != CommandNone {
		return c, rest
	}
	own, _ := ownLines(straighten(text))
	s := trimAddress(own)
	var names []string
	for _, n := range consultantNames {
		names = append(names, regexp.QuoteMeta(n))
	}
	ask := regexp.MustCompile(`(?is)^` + strings.ReplaceAll(asksConsultant, "%s", strings.Join(names, "|")))
	last := s
	if ends := sentenceEnd.FindAllStringIndex(s, -1); len(ends) > 0 && len(s) > ends[len(ends)-1][1] {
		last = s[ends[len(ends)-1][1]:]
	}
	for _, part := range []string{s, last} {
		if m := ask.FindStringSubmatch(part); m != nil && len(names) > 0 {
			return CommandConsult, unquote(m[1])
		}
	}
	for _, known := range []struct {
		form    *regexp.Regexp
		command Command
	}{{secondOpinion, CommandConsult}, {interviewMe, CommandGrillMe}, {planFirst, CommandStartWork}, {diagnosisFirst, CommandDiagnose}} {
		if m := known.form.FindStringSubmatch(s); m != nil {
			rest := ""
			if len(m) > 1 {
				rest = unquote(m[1])
			}
			return known.command, rest
		}
	}
	return CommandNone, ""
}
