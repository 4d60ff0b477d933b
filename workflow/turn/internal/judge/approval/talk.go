package approval

import (
	"context"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
)

// TalkAbove reports whether other people talk to somebody else above the approval m: since the newest message
// that offers the approval they wrote to another person, or they asked something below the bot's newest line,
// which it did not answer. Then "fix it" may be meant for that. A message that mentions the bot is meant for
// it.
func (j *Judgements) TalkAbove(ctx context.Context, m intent.Message) (bool, error) {
	offered, line, err := j.Store.NewestLines(ctx, j.Session().ID, m.TS)
	if err != nil {
		return false, err
	}
	return j.talkSince(ctx, m, offered, line)
}

// TalkBelow reports whether other people talk to somebody else between the bot's newest line and m. Then "go
// on", or "push it", may be meant for that.
func (j *Judgements) TalkBelow(ctx context.Context, m intent.Message) (bool, error) {
	_, line, err := j.Store.NewestLines(ctx, j.Session().ID, m.TS)
	if err != nil {
		return false, err
	}
	return j.talkSince(ctx, m, line, line)
}

// talkSince reports whether other people wrote to another person since the first ts, or asked something since
// the second one.
func (j *Judgements) talkSince(ctx context.Context, m intent.Message, first, second string) (bool, error) {
	if m.Kind != workflow.MessageReply {
		return false, nil
	}
	written, err := j.Inbox().WrittenBetween(ctx, first, m.TS)
	return slices.ContainsFunc(written, func(x workflow.Message) bool {
		asks := x.TS > second && strings.Contains(x.Text, "?")
		return x.User != m.User && x.Kind != workflow.MessageMention &&
			(intent.MentionsPerson(x.Text) || asks)
	}), err
}
