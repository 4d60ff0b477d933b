package bot

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/workflow"
)

// Slack runs slash commands in channels only. A command opens a thread there: a message of
// the bot's says who asked for what, and to the Inbox it is as if that person had written
// it. The message comes first, since its ts is the thread; then the Inbox; then the
// acknowledgement, for which Slack waits 3 seconds.
//
// A command can come again when its acknowledgement was lost. So the message carries the
// command's trigger id as metadata, and is looked up in the channel before it is posted,
// every time: the gateway keeps no memory, and another replica may have had it before.
// The same message is the same thread, which the Inbox knows already. Where it was taken on
// two connections at the same moment, both have posted: each looks again, and the older
// message stays.

// slashed is one run of a slash command.
type slashed struct {
	envelope string
	key      string // the same whenever it comes again
	channel  string
	user     string
	team     string
	name     string // /grill-me
	text     string
}

// commandForms are the commands and what follows them.
var commandForms = []struct {
	name workflow.Command
	form string
}{
	{workflow.CommandGrillMe, `"what you want"`},
	{workflow.CommandStartWork, `"what has to be done"`},
	{workflow.CommandDiagnose, `"what is wrong"`},
	{workflow.CommandConsult, `"your question"`},
}

const (
	commandEvent = "bobbin_command" // the metadata's event_type
	// commandWithin leaves the acknowledgement the rest of Slack's 3 seconds.
	commandWithin = 2500 * time.Millisecond
	// commandAgain is waited before what may be under way is looked up, and doubled.
	commandAgain = 100 * time.Millisecond
)

// command reads the payload of a slash_commands envelope.
func (r Reader) command(envelopeID string, payload []byte) (slashed, error) {
	var p slashCommand
	if err := json.Unmarshal(payload, &p); err != nil {
		return slashed{}, fmt.Errorf("not JSON: %w", err)
	}
	c := slashed{
		envelope: envelopeID, key: cmp.Or(string(p.TriggerID), envelopeID), channel: string(p.ChannelID),
		user: string(p.UserID), team: string(p.TeamID), name: string(p.Command),
		text: strings.TrimSpace(unescape(visible(string(p.Text)))),
	}
	if c.channel == "" || c.user == "" || c.name == "" {
		return c, errors.New("a command that belongs to no channel")
	}
	return c, nil
}

// help is what to answer to a command that says too little; empty when it can be run.
func (c slashed) help() string {
	var lines []string
	for _, f := range commandForms {
		line := "`/" + string(f.name) + " " + f.form + "`"
		if c.name != "/"+string(f.name) {
			lines = append(lines, line)
			continue
		}
		if c.text == "" {
			return "Say what it is about: " + line
		}
		return ""
	}
	return "I do not know " + escape(oneLine(c.name, 40)) + ". My commands are:\n" + strings.Join(lines, "\n")
}

// root is the message that the thread begins with: who asked, and the words, in which no
// mention, no link and no agent's name works.
func (c slashed) root() string {
	return unsigned("<@" + c.user + "> " + c.name + " " + (&page{}).plain(c.text))
}

// incoming is the command as a message of the person's own.
func (c slashed) incoming(self Self, ts string) workflow.Incoming {
	return workflow.Incoming{
		EventID: c.envelope, Kind: workflow.IncomingMention,
		Thread: workflow.Thread{Team: self.Team, Channel: c.channel, TS: ts}, TS: ts,
		User: c.user, UserTeam: c.team, Text: c.name + " " + c.text, At: at(ts),
	}
}

// command runs one and gives what to tell the person alone; nil when the thread says it all.
func (l *link) command(ctx context.Context, envelopeID string, payload []byte) any {
	c, err := l.reader.command(envelopeID, payload)
	if err != nil {
		l.log.Warn("a command that cannot be read", "envelope", envelopeID, "err", err)
		return nil
	}
	if help := c.help(); help != "" {
		return whisper(help)
	}
	if err := l.begin(ctx, c); err != nil {
		l.log.Error("could not begin with a command", "command", c.name, "channel", c.channel, "err", err)
		return whisper(l.apology(err))
	}
	return nil
}

func whisper(text string) any {
	return map[string]any{"response_type": "ephemeral", "text": text, "unfurl_links": false, "unfurl_media": false}
}

// begin makes the thread and hands the command to the Inbox. Both are tried until patience
// ends. A thread that nobody took is removed, or it would stand there without an answer;
// one that stood there before may have been taken then.
func (l *link) begin(ctx context.Context, c slashed) error {
	until := time.Now().Add(l.patience())
	within, cancel := context.WithTimeout(ctx, max(commandWithin, l.patience()))
	defer cancel()
	ts, fresh, err := l.open(within, c, until)
	if err != nil {
		return err
	}
	in := c.incoming(l.Slack.self, ts)
	err = l.keep(within, in, until)
	if err != nil && fresh {
		l.unopen(ctx, c, ts)
	}
	return err
}

// open makes the command's message stand in the channel once, and gives its ts. It is
// fresh unless it stood there already.
func (l *link) open(ctx context.Context, c slashed, until time.Time) (ts string, fresh bool, err error) {
	for wait := commandAgain; ; wait *= 2 {
		ts, err = l.opened(ctx, c)
		if err == nil && ts == "" {
			fresh = true
			if ts, err = l.post(ctx, c); err == nil {
				ts, fresh = l.older(ctx, c, ts)
				return ts, fresh, nil
			}
		}
		// What Slack wants to hear later than there is time for is not tried again either.
		late := errors.Is(err, context.DeadlineExceeded) || time.Now().Add(wait).After(until)
		if err == nil || final(err) || late || pause(ctx, wait) != nil {
			return ts, fresh, err
		}
	}
}

// final reports whether another try would only get the same answer.
func final(err error) bool {
	code := errorCode(err)
	return code != "" && !slices.Contains(passing, code)
}

// older gives way to another connection that has posted the same command before. Where
// that cannot be found out, ours is as good as any.
func (l *link) older(ctx context.Context, c slashed, ours string) (ts string, fresh bool) {
	first, err := l.opened(ctx, c)
	if err != nil || first == "" || first >= ours {
		return ours, true
	}
	l.unopen(ctx, c, ours)
	return first, false
}

// opened finds the command's message among the newest of the channel, the oldest of them
// if there are several; empty when it is not there.
func (l *link) opened(ctx context.Context, c slashed) (ts string, err error) {
	if l.blind {
		return "", nil
	}
	var history *slack.GetConversationHistoryResponse
	err = l.Slack.patiently(ctx, func() error {
		history, err = l.Slack.api.GetConversationHistoryContext(ctx, &slack.GetConversationHistoryParameters{
			ChannelID: c.channel, Limit: 200, IncludeAllMetadata: true,
		})
		return err
	})
	if err != nil {
		return "", fmt.Errorf("look for it in the channel: %w", err)
	}
	for _, m := range history.Messages {
		if m.BotID == l.Slack.self.BotID && m.Metadata.EventType == commandEvent && m.Metadata.EventPayload["key"] == c.key {
			ts = m.Timestamp // Slack tells the newest first
		}
	}
	return ts, nil
}

func (l *link) post(ctx context.Context, c slashed) (ts string, err error) {
	err = l.Slack.patiently(ctx, func() error {
		_, ts, err = l.Slack.api.PostMessageContext(ctx, c.channel,
			slack.MsgOptionText(c.root(), false), slack.MsgOptionParse(false),
			slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl(),
			slack.MsgOptionMetadata(slack.SlackMetadata{EventType: commandEvent, EventPayload: map[string]any{"key": c.key}}))
		return err
	})
	if err != nil {
		return "", fmt.Errorf("post it: %w", err)
	}
	return ts, nil
}

// unopen removes the message of a command that came to nothing.
func (l *link) unopen(ctx context.Context, c slashed, ts string) {
	ctx, cancel := context.WithTimeout(ctx, time.Second/2)
	defer cancel()
	if _, _, err := l.Slack.api.DeleteMessageContext(ctx, c.channel, ts); err != nil {
		l.log.Warn("a command's message stands in the channel and nobody has taken it", "channel", c.channel, "ts", ts, "err", err)
	}
}

// apology says what a person can do about a command that came to nothing.
func (l *link) apology(err error) string {
	var refused *AuthError
	switch code := errorCode(err); {
	case code == "not_in_channel", code == "channel_not_found":
		return "I am not in this channel. Invite me first: /invite @" + l.Slack.self.Name
	case errors.As(l.Slack.explain(err, botTokenName), &refused):
		return "I cannot do that here. " + escape(refused.Error())
	case final(err):
		return "Slack does not let me write here (" + escape(code) + ")."
	}
	return "That did not work: something I need is away. Please try again in a moment."
}
