package bot

import (
	"context"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/workflow"
)

// rewrite makes the message of an earlier posting anew: the same words without buttons, and
// what came of them below. Making it twice changes nothing, so nothing is looked up first.
// An edit tells nobody anything; what matters is said in a reply of its own.
func (p *Poster) rewrite(ctx context.Context, posting *workflow.Posting) error {
	if posting.OnTS == "" { // Slack never took it
		return nil
	}
	original := *posting
	original.Key = posting.Rewrites
	parts, _ := p.render().shape(&original)
	last, ts := parts[len(parts)-1], posting.OnTS
	if len(parts) > 1 { // the buttons stand on the last; the row knows where the first is
		there, err := p.look(ctx, posting)
		if err != nil {
			return err
		}
		if ts = there.parts[last.key]; ts == "" {
			return nil
		}
	}
	err := p.Slack.patiently(ctx, func() error {
		_, _, _, err := p.Slack.api.UpdateMessageContext(ctx, posting.Thread.Channel, ts,
			slack.MsgOptionText(last.text+"\n&gt; "+escape(oneLine(posting.Note, 300)), false), slack.MsgOptionBlocks(),
			slack.MsgOptionMetadata(slack.SlackMetadata{EventType: eventType, EventPayload: map[string]any{"key": last.key}}),
			slack.MsgOptionParse(false), slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl())
		p.Slack.updated(err)
		return err
	})
	return p.judge(err)
}
