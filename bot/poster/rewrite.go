package poster

import (
	"context"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
)

// rewriteMessage updates the message of an earlier posting: with other words and buttons, or
// the same text without buttons, and below it what was chosen. Doing it twice changes nothing, so nothing is looked up first.
// Slack notifies nobody of an edit; what matters is posted as a reply of its own.
func (p *Poster) rewriteMessage(ctx context.Context, posting *workflow.Posting) error {
	if posting.OnTS == "" { // Slack never accepted it
		return nil
	}
	original := *posting
	original.Key = posting.Rewrites
	parts, _ := p.style().Message(&original)
	last, ts := parts[len(parts)-1], posting.OnTS
	if len(parts) > 1 { // the buttons are on the last part; the row knows the ts of the first
		there, err := p.readStanding(ctx, posting)
		if err != nil {
			return err
		}
		if ts = there.parts[last.Key]; ts == "" {
			return nil
		}
	}
	text := last.Text
	if posting.Note != "" {
		text += "\n&gt; " + mrkdwn.Escape(mrkdwn.OneLine(posting.Note, 300))
	}
	err := p.Slack.Call(ctx, func() error {
		_, _, _, err := p.Slack.API.UpdateMessageContext(ctx, posting.Thread.Channel, ts,
			slack.MsgOptionText(text, false), slack.MsgOptionBlocks(last.Blocks...),
			slack.MsgOptionMetadata(slack.SlackMetadata{EventType: eventType, EventPayload: map[string]any{"key": last.Key}}),
			slack.MsgOptionParse(false), slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl())
		p.Slack.NoteUpdate(err)
		return err
	})
	return judgeRefusal(err)
}
