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
