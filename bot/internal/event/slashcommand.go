package event

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
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
}

// commandUsage lists the commands and their arguments.
var commandUsage = []struct {
	name workflow.Command
	form string
}{
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

// Help returns the answer to an unknown or incomplete command, or an empty string if the command can run.
func (s SlashCommand) Help() string {
	var lines []string
	for _, f := range commandUsage {
		line := "`/" + string(f.name) + " " + f.form + "`"
		if s.Name != "/"+string(f.name) {
			lines = append(lines, line)
			continue
		}
		if s.Text == "" {
			return "Say what it is about: " + line
		}
		return ""
	}
	return "I do not know " + mrkdwn.Escape(mrkdwn.OneLine(s.Name, 40)) + ". My commands are:\n" +
		strings.Join(lines, "\n")
}

// RootText returns the thread's first message: the mention of the user, the command and its text. Mentions,
// links and agent names in the text are disabled.
func (s SlashCommand) RootText() string {
	return mrkdwn.QuoteSignatures("<@" + s.User + "> " + s.Name + " " + mrkdwn.RenderPlain(s.Text))
}

// Event returns the command as if the user had written it as a message with that ts.
func (s SlashCommand) Event(self bot.Self, ts string) workflow.IncomingEvent {
	return workflow.IncomingEvent{
		EventID: s.Envelope, Kind: workflow.MessageMention,
		Thread: workflow.Thread{Team: self.Team, Channel: s.Channel, TS: ts}, TS: ts,
		User: s.User, UserTeam: s.Team, Text: s.Name + " " + s.Text, At: ParseTS(ts),
	}
}
