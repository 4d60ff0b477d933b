package poster

import (
	"context"

	"github.com/bobbinhq/bobbin/bot/mrkdwn"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/slack-go/slack"
)

// rewriteMessage makes the message of an earlier posting anew: the same words without buttons, and
// what came of them below. Making it twice changes nothing, so nothing is looked up first.
// An edit tells nobody anything; what matters is said in a reply of its own.
func (p *Poster) rewriteMessage(ctx context.Context, posting *workflow.Posting) error {
	if posting.OnTS == "" { // Slack never took it
		return nil
	}
	original := *posting
	original.Key = posting.Rewrites
	parts, _ := p.style().Message(&original)
	last, ts := parts[len(parts)-1], posting.OnTS
	if len(parts) > 1 { // the buttons stand on the last; the row knows where the first is
		there, err := p.readStanding(ctx, posting)
		if err != nil {
			return err
		}
		if ts = there.parts[last.Key]; ts == "" {
			return nil
		}
	}
	err := p.Slack.Call(ctx, func() error {
		_, _, _, err := p.Slack.API.UpdateMessageContext(ctx, posting.Thread.Channel, ts,
			slack.MsgOptionText(last.Text+"\n&gt; "+mrkdwn.Escape(mrkdwn.OneLine(posting.Note, 300)), false), slack.MsgOptionBlocks(),
			slack.MsgOptionMetadata(slack.SlackMetadata{EventType: eventType, EventPayload: map[string]any{"key": last.Key}}),
			slack.MsgOptionParse(false), slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl())
		p.Slack.NoteUpdate(err)
		return err
	})
	return judgeRefusal(err)
}
