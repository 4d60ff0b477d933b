package bot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/slack-go/slack"
	"golang.org/x/time/rate"

	"github.com/bobbinhq/bobbin/workflow"
)

// A Poster says in Slack what waits in the Outbox. Its fields are set before the first
// Drain and left alone after. Sessions may be drained side by side, one session only once
// at a time.
type Poster struct {
	Slack  *Slack
	Outbox Outbox
	Log    *slog.Logger // default: silent
	Name   string       // how cards are signed; default: orchestrator
	Links  []string     // addresses under which links may be clicked, such as https://github.com/acme/
	Calls  []string     // ids of people (U…) and user groups (S…) whom lines may call

	// Discretion says where code is kept back; default: nowhere.
	Discretion *Discretion

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
		ts, err := p.deliver(ctx, posting)
		//crash:posting_delivered
		var refused *refusal
		switch {
		case errors.As(err, &refused):
			p.log().Error("Slack refused a posting for good", "session", session, "key", posting.Key, "reason", refused.reason)
			err = p.Outbox.Refused(ctx, posting.Key, refused.reason)
		case err == nil:
			err = p.settle(ctx, posting, ts)
			//crash:posting_recorded
		default:
			err = fmt.Errorf("post %s in %s: %w", posting.Key, posting.Thread.Channel, err)
		}
		if err != nil {
			return err
		}
	}
}

// settle keeps where the posting stands. Where it stands elsewhere already, this poster was
// frozen between its last look and the request, and takes its own reply away again.
func (p *Poster) settle(ctx context.Context, posting *workflow.Posting, ts string) error {
	stands, err := p.Outbox.Posted(ctx, posting.Key, ts)
	if err != nil || stands == ts || posting.Reaction != "" || posting.Rewrites != "" {
		return err
	}
	p.log().Warn("another replica posted it, too; the later one is taken away", "key", posting.Key, "ts", ts, "stands", stands)
	return p.Slack.patiently(ctx, func() error {
		_, _, err := p.Slack.api.DeleteMessageContext(ctx, posting.Thread.Channel, ts)
		if errorCode(err) == "message_not_found" {
			return nil
		}
		return err
	})
}

func (p *Poster) log() *slog.Logger {
	return cmp.Or(p.Log, slog.New(slog.DiscardHandler))
}

// deliver makes the posting stand in Slack once, its files after its replies, and gives
// the ts of its first message.
func (p *Poster) deliver(ctx context.Context, posting *workflow.Posting) (ts string, err error) {
	posting = p.Discretion.fit(ctx, posting)
	switch {
	case posting.Reaction != "":
		return posting.OnTS, p.react(ctx, posting)
	case posting.Rewrites != "":
		return posting.OnTS, p.rewrite(ctx, posting)
	}
	parts, files := p.render().shape(posting)
	if posting.Card != nil {
		parts = []part{cardFace{name: p.Name, plain: p.Slack.plainCards.Load()}.part(posting.Card)}
	}
	there, err := p.standing(ctx, posting, parts, files)
	if err != nil {
		return "", err
	}
	for i, part := range parts {
		at, posted := there.parts[part.key]
		if !posted {
			if at, err = p.put(ctx, posting, part); err != nil {
				return "", err
			}
		}
		if i == 0 {
			ts = at
		}
	}
	for _, f := range files {
		if err := p.attach(ctx, posting, f, there); err != nil {
			return "", err
		}
	}
	return ts, nil
}

// put posts a part; a card in plain blocks where the endpoint refuses others.
func (p *Poster) put(ctx context.Context, posting *workflow.Posting, once part) (ts string, err error) {
	if posting.Card == nil {
		return p.post(ctx, posting, once)
	}
	err = p.Slack.drawCard(p.Name, posting.Card, func(face part) error {
		ts, err = p.post(ctx, posting, face)
		return err
	})
	return ts, err
}

// eventType is the metadata's; its payload is the posting's key.
const eventType = "bobbin_posting"

func (p *Poster) post(ctx context.Context, posting *workflow.Posting, part part) (ts string, err error) {
	thread := posting.Thread
	options := []slack.MsgOption{
		slack.MsgOptionText(part.text, false), slack.MsgOptionTS(thread.TS),
		slack.MsgOptionMetadata(slack.SlackMetadata{EventType: eventType, EventPayload: map[string]any{"key": part.key}}),
		// Slack makes nothing of the text by itself: no links, no names, no previews.
		slack.MsgOptionParse(false), slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl(),
	}
	if part.blocks != nil {
		options = append(options, slack.MsgOptionBlocks(part.blocks...))
	}
	var answer answerBody
	err = p.Slack.patiently(ctx, func() error {
		if err := p.pace(thread.Channel).Wait(ctx); err != nil {
			return err
		}
		if err := p.Outbox.Mine(ctx, posting.Key); err != nil {
			return err
		}
		_, ts, err = p.Slack.api.PostMessageContext(answer.within(ctx), thread.Channel, options...)
		return err
	})
	if part.blocks != nil && posting.Card == nil && refusesBlocks(err) {
		return p.post(ctx, posting, part.inWords())
	}
	if err != nil {
		return "", p.judge(err)
	}
	if answer.strayed() {
		return "", p.takeBack(ctx, thread, ts)
	}
	//crash:reply_posted
	return ts, nil
}

// takeBack removes a reply that landed in the channel: Slack puts it there, without a
// word, when the thread's root was deleted.
func (p *Poster) takeBack(ctx context.Context, thread workflow.Thread, ts string) error {
	err := p.Slack.patiently(ctx, func() error {
		_, _, err := p.Slack.api.DeleteMessageContext(ctx, thread.Channel, ts)
		return err
	})
	if err != nil {
		p.log().Warn("a reply stands in the channel, since its thread is gone", "channel", thread.Channel, "ts", ts, "err", err)
	}
	return &refusal{"thread_not_found"}
}

func (p *Poster) react(ctx context.Context, posting *workflow.Posting) error {
	err := p.Slack.patiently(ctx, func() error {
		return p.Slack.api.AddReactionContext(ctx, posting.Reaction, slack.NewRefToMessage(posting.Thread.Channel, posting.OnTS))
	})
	if errorCode(err) == "already_reacted" {
		return nil
	}
	return p.judge(err)
}

// standing is what is there of a posting that was tried; of another it is nothing.
func (p *Poster) standing(ctx context.Context, posting *workflow.Posting, parts []part, files []fileCopy) (there standing, err error) {
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
	if err := pause(ctx, cmp.Or(p.Settle, 3*time.Second)); err != nil {
		return standing{}, err
	}
	there, err := p.look(ctx, posting)
	if err == nil {
		p.log().Info("looked up a posting that was tried before", "key", posting.Key, "found", there.parts[posting.Key] != "")
	}
	return there, err
}

// look finds what of ours is in the posting's thread.
func (p *Poster) look(ctx context.Context, posting *workflow.Posting) (standing, error) {
	there := standing{parts: map[string]string{}}
	err := p.Slack.thread(ctx, posting.Thread, true, func(m slack.Message) {
		key, _ := m.Metadata.EventPayload["key"].(string)
		// Another app may write what metadata it likes; ours alone counts.
		if m.BotID == p.Slack.self.BotID && m.Metadata.EventType == eventType && key != "" {
			there.parts[key] = m.Timestamp
		}
		for _, f := range m.Files {
			if m.BotID == p.Slack.self.BotID || m.User == p.Slack.self.User {
				there.files = append(there.files, f.Name)
			}
		}
	})
	if err != nil {
		return standing{}, fmt.Errorf("look for it in the thread: %w", p.judge(err))
	}
	return there, nil
}

func (p *Poster) pace(channel string) *rate.Limiter {
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

// passing are Slack's codes that say nothing of the posting: it may even be there. Codes
// of the app itself (a token revoked, a scope missing) are in cures: when somebody has
// mended that, the lines go out after all.
var passing = []string{
	"internal_error", "fatal_error", "service_unavailable", "request_timeout", "ratelimited", "rate_limited", "message_limit_exceeded",
	"team_added_to_org", "accesslimited", "access_denied", "ekm_access_denied", "two_factor_setup_required",
}

// judge makes a *refusal of an answer that another try would only get again. A lost
// answer, a 5xx or a network's failure stays the error that it is.
func (p *Poster) judge(err error) error {
	code := errorCode(err)
	if code == "" || slices.Contains(passing, code) {
		return err
	}
	if _, ofTheApp := cures[code]; ofTheApp {
		return p.Slack.explain(err, botTokenName)
	}
	return &refusal{code}
}
