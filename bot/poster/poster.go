package poster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/mrkdwn"
	"github.com/bobbinhq/bobbin/bot/render"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/slack-go/slack"
	"golang.org/x/time/rate"
)

// An Outbox holds what has to be posted.
type Outbox interface {
	// Next is the oldest posting of the session that is neither posted nor refused; nil
	// when there is none. It is marked as tried, and that is committed, before Next returns.
	Next(ctx context.Context, session string) (*workflow.Posting, error)
	// Mine fails when the posting is somebody else's by now: a poster that was frozen asks
	// before it sends.
	Mine(ctx context.Context, key string) error
	// Posted keeps the ts of the message that the posting has become, and says which one it
	// stands as: another where somebody else was quicker.
	Posted(ctx context.Context, key, ts string) (stands string, err error)
	// Refused keeps that Slack will never take the posting, and why.
	Refused(ctx context.Context, key, reason string) error
}

// A Poster says in Slack what waits in the Outbox. Its fields are set before the first
// Drain and left alone after. Sessions may be drained side by side, one session only once
// at a time.
type Poster struct {
	Slack  *bot.Slack
	Outbox Outbox
	Log    *slog.Logger // default: silent
	Name   string       // how cards are signed; default: orchestrator
	Links  []string     // addresses under which links may be clicked, such as https://github.com/acme/
	Calls  []string     // ids of people (U…) and user groups (S…) whom lines may call

	// GuestFilter says where code is kept back; default: nowhere.
	GuestFilter *GuestFilter

	// Code is by repository where a line of its code is shown, such as
	// https://github.com/acme/shop/blob/{commit}/{path}#L{line}; what is not here has no links.
	Code map[string]string

	// Pace is the least time between two replies in a channel; default 1 s, as Slack has
	// it. Other replicas have a pace of their own: what is too much between them is a 429.
	Pace time.Duration
	// Settle is waited before a posting that was tried is looked up; default 3 s. The
	// request of a process that died may still be on its way.
	Settle time.Duration

	blind bool // tests only: post what was tried without looking it up

	mu    sync.Mutex
	paces map[string]*rate.Limiter // by channel
}

// Drain posts what the session has in the Outbox, in order, until there is nothing left.
// An error means that it has to be called again: what it was about is not settled.
func (p *Poster) Drain(ctx context.Context, session string) error {
	for {
		posting, err := p.Outbox.Next(ctx, session)
		if err != nil || posting == nil {
			return err
		}
		//crash:posting_tried
		ts, err := p.deliverPosting(ctx, posting)
		//crash:posting_delivered
		var refused *refusal
		switch {
		case errors.As(err, &refused):
			p.log().Error("Slack refused a posting for good", "session", session, "key", posting.Key, "reason", refused.reason)
			err = p.Outbox.Refused(ctx, posting.Key, refused.reason)
		case err == nil:
			err = p.recordPosted(ctx, posting, ts)
			//crash:posting_recorded
		default:
			err = fmt.Errorf("post %s in %s: %w", posting.Key, posting.Thread.Channel, err)
		}
		if err != nil {
			return err
		}
	}
}

// recordPosted keeps where the posting stands. Where it stands elsewhere already, this poster was
// frozen between its last look and the request, and takes its own reply away again.
func (p *Poster) recordPosted(ctx context.Context, posting *workflow.Posting, ts string) error {
	stands, err := p.Outbox.Posted(ctx, posting.Key, ts)
	if err != nil || stands == ts || posting.Reaction != "" || posting.Rewrites != "" {
		return err
	}
	p.log().Warn("another replica posted it, too; the later one is taken away", "key", posting.Key, "ts", ts, "stands", stands)
	return p.Slack.Call(ctx, func() error {
		_, _, err := p.Slack.API.DeleteMessageContext(ctx, posting.Thread.Channel, ts)
		if bot.ErrorCode(err) == "message_not_found" {
			return nil
		}
		return err
	})
}

func (p *Poster) style() render.Style {
	return render.Style{Renderer: mrkdwn.Renderer{Links: p.Links, Code: p.Code}, Calls: p.Calls}
}

func (p *Poster) log() *slog.Logger {
	return cmp.Or(p.Log, slog.New(slog.DiscardHandler))
}

// deliverPosting makes the posting stand in Slack once, its files after its replies, and gives
// the ts of its first message.
func (p *Poster) deliverPosting(ctx context.Context, posting *workflow.Posting) (ts string, err error) {
	posting = p.GuestFilter.filterPosting(ctx, posting)
	switch {
	case posting.Reaction != "":
		return posting.OnTS, p.addReaction(ctx, posting)
	case posting.Rewrites != "":
		return posting.OnTS, p.rewriteMessage(ctx, posting)
	}
	parts, files := p.style().Message(posting)
	if posting.Card != nil {
		parts = []render.Part{render.CardFace{Name: p.Name, Plain: p.Slack.PlainCards.Load()}.Render(posting.Card)}
	}
	there, err := p.standing(ctx, posting, parts, files)
	if err != nil {
		return "", err
	}
	for i, part := range parts {
		at, posted := there.parts[part.Key]
		if !posted {
			if at, err = p.postPart(ctx, posting, part); err != nil {
				return "", err
			}
		}
		if i == 0 {
			ts = at
		}
	}
	for _, f := range files {
		if err := p.attachFile(ctx, posting, f, there); err != nil {
			return "", err
		}
	}
	return ts, nil
}

// postPart posts a part; a card in plain blocks where the endpoint refuses others.
func (p *Poster) postPart(ctx context.Context, posting *workflow.Posting, once render.Part) (ts string, err error) {
	if posting.Card == nil {
		return p.post(ctx, posting, once)
	}
	err = drawCard(p.Slack, p.Name, posting.Card, func(face render.Part) error {
		ts, err = p.post(ctx, posting, face)
		return err
	})
	return ts, err
}

// eventType is the metadata's; its payload is the posting's key.
const eventType = "bobbin_posting"

func (p *Poster) post(ctx context.Context, posting *workflow.Posting, part render.Part) (ts string, err error) {
	thread := posting.Thread
	options := []slack.MsgOption{
		slack.MsgOptionText(part.Text, false), slack.MsgOptionTS(thread.TS),
		slack.MsgOptionMetadata(slack.SlackMetadata{EventType: eventType, EventPayload: map[string]any{"key": part.Key}}),
		// Slack makes nothing of the text by itself: no links, no names, no previews.
		slack.MsgOptionParse(false), slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl(),
	}
	if part.Blocks != nil {
		options = append(options, slack.MsgOptionBlocks(part.Blocks...))
	}
	var answer bot.ResponseBody
	err = p.Slack.Call(ctx, func() error {
		if err := p.channelPace(thread.Channel).Wait(ctx); err != nil {
			return err
		}
		if err := p.Outbox.Mine(ctx, posting.Key); err != nil {
			return err
		}
		_, ts, err = p.Slack.API.PostMessageContext(answer.CaptureIn(ctx), thread.Channel, options...)
		return err
	})
	if part.Blocks != nil && posting.Card == nil && refusesBlocks(err) {
		return p.post(ctx, posting, part.WithoutBlocks())
	}
	if err != nil {
		return "", judgeRefusal(err)
	}
	if answer.IsOutsideThread() {
		return "", p.takeBack(ctx, thread, ts)
	}
	//crash:reply_posted
	return ts, nil
}

// takeBack removes a reply that landed in the channel: Slack puts it there, without a
// word, when the thread's root was deleted.
func (p *Poster) takeBack(ctx context.Context, thread workflow.Thread, ts string) error {
	err := p.Slack.Call(ctx, func() error {
		_, _, err := p.Slack.API.DeleteMessageContext(ctx, thread.Channel, ts)
		return err
	})
	if err != nil {
		p.log().Warn("a reply stands in the channel, since its thread is gone", "channel", thread.Channel, "ts", ts, "err", err)
	}
	return &refusal{"thread_not_found"}
}

func (p *Poster) addReaction(ctx context.Context, posting *workflow.Posting) error {
	err := p.Slack.Call(ctx, func() error {
		return p.Slack.API.AddReactionContext(ctx, posting.Reaction, slack.NewRefToMessage(posting.Thread.Channel, posting.OnTS))
	})
	if bot.ErrorCode(err) == "already_reacted" {
		return nil
	}
	return judgeRefusal(err)
}

// standing is what is there of a posting that was tried; of another it is nothing.
func (p *Poster) standing(ctx context.Context, posting *workflow.Posting, parts []render.Part, files []render.File) (there standing, err error) {
	if !posting.Tried || p.blind {
		return there, nil
	}
	for range fileLooks {
		if there, err = p.lookUp(ctx, posting); err != nil || !there.awaited(parts, files) {
			break
		}
	}
	return there, err
}

// lookUp finds what of ours is in the thread of a posting that was tried.
func (p *Poster) lookUp(ctx context.Context, posting *workflow.Posting) (standing, error) {
	if err := bot.Pause(ctx, cmp.Or(p.Settle, 3*time.Second)); err != nil {
		return standing{}, err
	}
	there, err := p.readStanding(ctx, posting)
	if err == nil {
		p.log().Info("looked up a posting that was tried before", "key", posting.Key, "found", there.parts[posting.Key] != "")
	}
	return there, err
}

// readStanding finds what of ours is in the posting's thread.
func (p *Poster) readStanding(ctx context.Context, posting *workflow.Posting) (standing, error) {
	there := standing{parts: map[string]string{}}
	err := p.Slack.ReadThread(ctx, posting.Thread, true, func(m slack.Message) {
		key, _ := m.Metadata.EventPayload["key"].(string)
		// Another app may write what metadata it likes; ours alone counts.
		if m.BotID == p.Slack.Self().BotID && m.Metadata.EventType == eventType && key != "" {
			there.parts[key] = m.Timestamp
		}
		for _, f := range m.Files {
			if m.BotID == p.Slack.Self().BotID || m.User == p.Slack.Self().User {
				there.files = append(there.files, f.Name)
			}
		}
	})
	if err != nil {
		return standing{}, fmt.Errorf("look for it in the thread: %w", judgeRefusal(err))
	}
	return there, nil
}

func (p *Poster) channelPace(channel string) *rate.Limiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	limiter := p.paces[channel]
	if limiter == nil {
		limiter = rate.NewLimiter(rate.Every(cmp.Or(p.Pace, time.Second)), 1)
		if p.paces == nil {
			p.paces = map[string]*rate.Limiter{}
		}
		p.paces[channel] = limiter
	}
	return limiter
}

// A refusal is Slack's last word on one posting.
type refusal struct{ reason string }

func (r *refusal) Error() string { return r.reason }

// judgeRefusal makes a *refusal of an answer that another try would only get again. A lost
// answer, a 5xx or a network's failure stays the error that it is.
func judgeRefusal(err error) error {
	if !bot.IsFinal(err) {
		return err
	}
	var ofTheApp *bot.AuthError
	if explained := bot.ExplainError(err, bot.BotTokenName); errors.As(explained, &ofTheApp) {
		return explained
	}
	return &refusal{bot.ErrorCode(err)}
}

// refusesBlocks: Slack takes the message, and not what it looks like. That is a mistake of
// ours or news of Slack's; a report that nobody sees would be worse than one without buttons.
func refusesBlocks(err error) bool {
	return slices.Contains([]string{"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long"}, bot.ErrorCode(err))
}
