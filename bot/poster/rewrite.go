package poster

import (
	"context"
	"errors"
	"slices"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot/internal/render"
	"github.com/bobbinhq/bobbin/workflow"
)

// rewriteMessage updates the message of an earlier posting: with other text and buttons, or with the same
// text without buttons and a note below it. A repeated update changes nothing, so nothing is looked up first.
// Slack does not notify anyone of an edit, so important news is posted as a separate reply. recorded is the
// posting with its code: the message may have been posted with it, and have another number of parts than now.
func (p *Poster) rewriteMessage(ctx context.Context, posting, recorded *workflow.Posting) error {
	if posting.OnTS == "" { // Slack never accepted the message
		return nil
	}
	original := *posting
	original.Key = posting.Rewrites
	parts, _ := p.style().Message(&original)
	if posting.Brief && len(parts) == 1 {
		original.Lines = slices.Clone(original.Lines)
		original.Lines[0] = render.Brief(original.Lines[0])
		parts, _ = p.style().Message(&original)
	}
	whole := *recorded
	whole.Key = posting.Rewrites
	posted, _ := p.style().Message(&whole)
	if len(posted) < len(parts) {
		posted = parts
	}
	last := parts[len(parts)-1]
	ts := posting.OnTS
	if len(posted) > 1 {
		// the buttons are on the last part that was posted, but the row holds the ts of the first
		there, err := p.readThread(ctx, posting)
		if err != nil {
			return err
		}
		n := len(posted) - 1
		for n > 0 && there.parts[posted[n].Key] == "" {
			n--
		}
		if ts = there.parts[posted[n].Key]; ts == "" {
			return nil
		}
		if n < len(parts)-1 {
			last = parts[n].WithNote(
				"Cut here: this was posted before the people in the channel changed.", posting.Lines,
			)
		}
		last.Key = posted[n].Key
	}
	if posting.Note != "" {
		last = last.WithNote(posting.Note, posting.Lines)
	}
	return p.updateMessage(ctx, posting.Thread.Channel, ts, last, posting.Key)
}

// updateMessage updates a message for the posting with that key, unless another poster has taken that over.
// If key is empty, it always does.
func (p *Poster) updateMessage(ctx context.Context, channel, ts string, part render.Part, key string) error {
	err := p.Slack.Call(ctx, func() error {
		if key != "" {
			if err := p.Outbox.CheckOwner(ctx, key); err != nil {
				return err
			}
		}
		_, _, _, err := p.Slack.API.UpdateMessageContext(ctx, channel, ts,
			slack.MsgOptionText(part.Text, false), slack.MsgOptionBlocks(part.Blocks...),
			slack.MsgOptionMetadata(slack.SlackMetadata{
				EventType:    eventType,
				EventPayload: map[string]any{"key": part.Key},
			}),
			slack.MsgOptionParse(false), slack.MsgOptionDisableLinkUnfurl(),
			slack.MsgOptionDisableMediaUnfurl())
		p.Slack.NoteUpdate(err)
		return err
	})
	return judgeRefusal(err)
}

// growMessage adds lines to the message that already shows the first ones. grown is false if Slack refuses
// the edit, if the text would need several messages, or if an earlier try posted the lines as a reply.
func (p *Poster) growMessage(ctx context.Context, posting *workflow.Posting) (grown bool, err error) {
	if posting.Tried && !p.skipLookup {
		there, err := p.lookUp(ctx, posting)
		if err != nil || there.parts[posting.Key] != "" {
			return false, err
		}
	}
	whole := *posting
	whole.Key = posting.Rewrites
	parts, _ := p.style().Message(&whole)
	if len(parts) > 1 || !p.Slack.MayUpdate() {
		return false, nil
	}
	err = p.updateMessage(ctx, posting.Thread.Channel, posting.OnTS, parts[0], posting.Key)
	var refused *refusal
	if errors.As(err, &refused) {
		return false, nil
	}
	return err == nil, err
}

// keepNewest updates the message that the posting's lines joined until it shows what is on record. This
// poster may have been frozen between its last check and its edit, and have overwritten a newer text.
func (p *Poster) keepNewest(ctx context.Context, posting *workflow.Posting) error {
	for {
		newest, err := p.Outbox.EditedSince(ctx, posting)
		if err != nil || newest == nil {
			return err
		}
		p.log().Warn("another replica went on with a reply; it is written again", "key", posting.Rewrites,
			"ts", posting.OnTS)
		whole := *p.GuestFilter.filterPosting(ctx, newest)
		whole.Key = newest.Rewrites
		parts, _ := p.style().Message(&whole)
		if err := p.updateMessage(ctx, newest.Thread.Channel, newest.OnTS, parts[0], ""); err != nil {
			return err
		}
		posting = newest
	}
}
