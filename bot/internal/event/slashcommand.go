package event

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// SlashCommand is one invocation of a slash command.
type SlashCommand struct {
	Envelope string
	// idempotency key, the same for each delivery: the trigger id, or the envelope id if there is none
	Key     string
	Channel string
	User    string
	Team    string
	// such as /grill-me
	Name string
	Text string
	// the text alone is a report of the user, which approves nothing
	Reports bool
}

// Bobbin is the command with subcommands; all others have a text.
const Bobbin = "/bobbin"

// The subcommands.
const (
	SubHelp   = "help"
	SubReport = "report"
	SubStatus = "status"
	SubStop   = "stop"
)

// subcommands lists them in the order in which people read them.
var subcommands = []string{SubHelp, SubReport, SubStatus, SubStop}

// commandUsage lists the commands and their arguments.
var commandUsage = []struct {
	name workflow.Command
	form string
}{
	{"bobbin", strings.Join(subcommands, " | ")},
	{workflow.CommandGrillMe, `"what you want"`},
	{workflow.CommandStartWork, `"what has to be done"`},
	{workflow.CommandDiagnose, `"what is wrong"`},
	{workflow.CommandConsult, `"your question"`},
}

// ReadCommand reads the payload of a slash_commands envelope.
func (r Reader) ReadCommand(envelopeID string, payload []byte) (SlashCommand, error) {
	var p slashPayload
	if err := json.Unmarshal(payload, &p); err != nil {
		return SlashCommand{}, fmt.Errorf("not JSON: %w", err)
	}
	c := SlashCommand{
		Envelope: envelopeID, Key: cmp.Or(string(p.TriggerID), envelopeID), Channel: string(p.ChannelID),
		User: string(p.UserID), Team: string(p.TeamID), Name: string(p.Command),
		Text: strings.TrimSpace(mrkdwn.Unescape(mrkdwn.Visible(string(p.Text)))),
	}
	if c.Channel == "" || c.User == "" || c.Name == "" {
		return c, errors.New("a command that belongs to no channel")
	}
	return c, nil
}

// Subcommand returns which subcommand of /bobbin it is, with the text behind it. help says in one line what
// is wrong with an unknown one; it is empty otherwise.
func (s SlashCommand) Subcommand() (name, text, help string) {
	name, text, _ = strings.Cut(s.Text, " ")
	name = strings.ToLower(strings.Trim(name, "?!.,:"))
	text = strings.TrimSpace(text)
	switch {
	case name == "":
		return SubHelp, "", ""
	case slices.Contains(subcommands, name):
		return name, text, ""
	}
	help = "I do not know `" + Bobbin + " " + mrkdwn.Escape(codeLine(name)) + "`. "
	if near := plaintext.NearestWord(name, subcommands); near != "" {
		return "", "", help + "Did you mean `" + Bobbin + " " + near + "`?"
	}
	return "", "", help + "There are `" + Bobbin + " " +
		strings.Join(subcommands, "`, `"+Bobbin+" ") + "`."
}

// codeLine returns a word that ends no code.
func codeLine(word string) string {
	return strings.ReplaceAll(mrkdwn.OneLine(word, 40), "`", "'")
}

// Help returns the answer to an unknown or incomplete command, or an empty string if the command can run. It
// does not know /bobbin, which has subcommands.
func (s SlashCommand) Help() string {
	var lines, names []string
	for _, f := range commandUsage {
		line := "`/" + string(f.name) + " " + f.form + "`"
		names = append(names, "/"+string(f.name))
		if s.Name != "/"+string(f.name) || s.Name == Bobbin {
			lines = append(lines, line)
			continue
		}
		if s.Text == "" {
			return "Say what it is about: " + line
		}
		return ""
	}
	unknown := "I do not know " + mrkdwn.Escape(mrkdwn.OneLine(s.Name, 40)) + ". "
	if near := plaintext.NearestWord(s.Name, names); near != "" {
		return unknown + "Did you mean `" + near + "`?"
	}
	return unknown + "My commands are:\n" +
		strings.Join(lines, "\n")
}

// RootText returns the thread's first message: the mention of the user, the command and its text. Mentions,
// links and agent names in the text are disabled.
func (s SlashCommand) RootText() string {
	return mrkdwn.QuoteSignatures("<@" + s.User + "> " + s.Name + " " + mrkdwn.RenderPlain(s.Text))
}

// Event returns the command as if the user had written it as a message with that ts.
func (s SlashCommand) Event(self bot.Self, ts string) workflow.IncomingEvent {
	text := s.Name + " " + s.Text
	value := ""
	switch {
	case s.Reports:
		text = s.Text
		value = workflow.ThroughForm
	case s.Name == Bobbin+" "+SubStop:
		text = SubStop
	}
	return workflow.IncomingEvent{
		EventID: s.Envelope, Kind: workflow.MessageMention,
		Thread: workflow.Thread{Team: self.Team, Channel: s.Channel, TS: ts}, TS: ts,
		User: s.User, UserTeam: s.Team, Text: text, Value: value, At: ParseTS(ts),
	}
}
