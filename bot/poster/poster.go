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

	"github.com/slack-go/slack"
	"golang.org/x/time/rate"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/mrkdwn"
	"github.com/bobbinhq/bobbin/bot/internal/render"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
)

// An Outbox is a queue of postings.
type Outbox interface {
	// Next returns the oldest posting of the session that is neither posted nor refused, or nil if there is
	// none. Before it returns, it commits that the posting is being tried.
	Next(ctx context.Context, session string) (*workflow.Posting, error)
	// CheckOwner returns an error if another poster has taken over the posting. A poster calls it before it
	// sends, since its process may have been frozen for a while.
	CheckOwner(ctx context.Context, key string) error
	// Posted records the ts of the posting's message, and returns the ts that is on record: a different one
	// if another poster was faster.
	Posted(ctx context.Context, key, ts string) (stands string, err error)
	// Began records the ts of a posting that begins a thread, as Posted does. From then on the session
	// belongs to that thread.
	Began(ctx context.Context, key, ts string) (stands string, err error)
	// NotBegun records that Slack refuses a posting that begins a thread permanently, and why.
	NotBegun(ctx context.Context, key, reason string) error
	// EditedSince returns what the message that the posting's lines joined has to show now, or nil if the
	// posting's own text is still current.
	EditedSince(ctx context.Context, posting *workflow.Posting) (*workflow.Posting, error)
	// Refused records that Slack refuses the posting permanently, and why.
	Refused(ctx context.Context, key, reason string) error
}

// A Poster posts what waits in the Outbox. Its fields must not change after the first Drain. Several sessions
// may be drained concurrently, but each by only one Drain at a time.
type Poster struct {
	Slack       *bot.Slack
	Outbox      Outbox
	Log         *slog.Logger // default: no log
	Name        string       // signature of cards; default: orchestrator
	Links       []string     // addresses under which links are clickable, such as https://github.com/acme/
	Mentionable []string     // ids of people (U…) and user groups (S…) that lines may mention

	MentionsOwners bool // lines may mention any person; see render.Style

	// GuestFilter decides where code is hidden; default: nowhere.
	GuestFilter *GuestFilter

	// Code holds the address of a line of code by repository, such as
	// https://github.com/acme/shop/blob/{commit}/{path}#L{line}. Code of other repositories is not linked.
	Code map[string]string

	// PageOf returns the address of a session's page for a message that many people read; nil: sessions have
	// no pages.
	PageOf func(session string) string

	// Pace is the minimum time between two replies in a channel; default 1 s, which is Slack's limit.
	// Replicas do not share it: if together they are too fast, Slack responds with 429.
	Pace time.Duration
	// Settle is the wait before a posting that was tried is looked up; default 3 s. A request of a process
	// that died may still be on its way.
	Settle time.Duration

	// OwnStatus reports whether Slack shows in the thread by itself that the bot is at work, so that no line
	// has to; default: it does not.
	OwnStatus func(workflow.Thread) bool

	skipLookup bool // tests only: post again without looking up what was tried

	mu    sync.Mutex
	paces map[string]*rate.Limiter // by channel
}

// Drain posts the session's postings in order until none is left. After an error the posting in question is
// not settled, and Drain has to be called again.
func (p *Poster) Drain(ctx context.Context, session string) error {
	for {
		posting, err := p.Outbox.Next(ctx, session)
		if err != nil || posting == nil {
			return err
		}
		failpoint.Crash("posting_tried")
		ts, err := p.deliverPosting(ctx, posting)
		failpoint.Crash("posting_delivered")
		var refused *refusal
		switch {
		case errors.As(err, &refused):
			p.log().Error("Slack refused a posting for good", "session", session, "key", posting.Key,
				"reason", refused.reason)
			err = p.recordRefused(ctx, posting, refused.reason)
		case err == nil:
			err = p.recordPosted(ctx, posting, ts)
			failpoint.Crash("posting_recorded")
		default:
			err = fmt.Errorf("post %s in %s: %w", posting.Key, posting.Thread.Channel, err)
		}
		if err != nil {
			return err
		}
	}
}

func (p *Poster) recordRefused(ctx context.Context, posting *workflow.Posting, reason string) error {
	if posting.Begins {
		return p.Outbox.NotBegun(ctx, posting.Key, reason)
	}
	return p.Outbox.Refused(ctx, posting.Key, reason)
}

// recordPosted records the ts of the posting. If another ts is on record, this poster was frozen between its
// last check and the request, and another one posted; it then deletes its own reply.
func (p *Poster) recordPosted(ctx context.Context, posting *workflow.Posting, ts string) error {
	record := p.Outbox.Posted
	if posting.Begins {
		record = p.Outbox.Began
	}
	stands, err := record(ctx, posting.Key, ts)
	if err != nil || stands == ts || posting.Reaction != "" || posting.Rewrites != "" && ts == posting.OnTS {
		return err
	}
	p.log().Warn("another replica posted it, too; the later one is taken away", "key", posting.Key, "ts", ts,
		"stands", stands)
	return p.Slack.Call(ctx, func() error {
		_, _, err := p.Slack.API.DeleteMessageContext(ctx, posting.Thread.Channel, ts)
		if bot.ErrorCode(err) == "message_not_found" {
			return nil
		}
		return err
	})
}

func (p *Poster) style() render.Style {
	return render.Style{
		Renderer:       mrkdwn.Renderer{Links: p.Links, Code: p.Code},
		Mentionable:    p.Mentionable,
		MentionsOwners: p.MentionsOwners,
		PageOf:         p.PageOf,
	}
}

func (p *Poster) log() *slog.Logger {
	return cmp.Or(p.Log, slog.New(slog.DiscardHandler))
}

// deliverPosting posts the parts of the posting that are not in Slack yet, replies before files, and returns
// the ts of its first message.
func (p *Poster) deliverPosting(ctx context.Context, posting *workflow.Posting) (ts string, err error) {
	recorded := posting
	posting = p.GuestFilter.filterPosting(ctx, posting)
	switch {
	case posting.EphemeralTo != "" && len(posting.Lines) > 0:
		return p.postPrivately(ctx, posting)
	case posting.EphemeralTo != "":
		return posting.Key, p.postEphemeral(ctx, posting, p.style().Render(posting.Ephemeral, nil))
	case posting.Reaction != "":
		return posting.OnTS, p.addReaction(ctx, posting)
	case posting.Sign && p.OwnStatus != nil && p.OwnStatus(posting.Thread):
		return "", nil
	case posting.EndsSign:
		return "", p.endSign(ctx, posting)
	case posting.Pin:
		return posting.OnTS, p.pin(ctx, posting)
	case posting.Begins:
		return p.beginThread(ctx, posting)
	case posting.Rewrites != "" && posting.Existing > 0:
		grown, err := p.growMessage(ctx, posting)
		if grown && err == nil {
			err = p.keepNewest(ctx, recorded)
		}
		if grown || err != nil {
			return posting.OnTS, err
		}
		alone := *posting
		alone.Rewrites = ""
		alone.OnTS = ""
		alone.Lines = posting.Lines[posting.Existing:]
		posting = &alone
	case posting.Rewrites != "":
		return posting.OnTS, p.rewriteMessage(ctx, posting, recorded)
	}
	return p.postReply(ctx, posting)
}

// postReply posts the parts and files of a reply that are not in the thread yet.
func (p *Poster) postReply(ctx context.Context, posting *workflow.Posting) (ts string, err error) {
	parts, files := p.style().Message(posting)
	if posting.Card != nil {
		parts = []render.Part{render.CardFace{
			Name:  p.Name,
			Plain: p.Slack.PlainCards.Load(),
		}.Render(posting.Card)}
	}
	there, err := p.findInThread(ctx, posting, parts, files)
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

// postPart posts a part. A card is posted in plain blocks if the endpoint refuses the newer ones.
func (p *Poster) postPart(
	ctx context.Context, posting *workflow.Posting, once render.Part,
) (ts string, err error) {
	if posting.Card == nil {
		return p.post(ctx, posting, once)
	}
	err = drawCard(p.Slack, p.Name, posting.Card, func(face render.Part) error {
		ts, err = p.post(ctx, posting, face)
		return err
	})
	return ts, err
}

// eventType is the event_type of the bot's metadata, whose payload holds the posting's key.
const eventType = "bobbin_posting"

func (p *Poster) post(
	ctx context.Context, posting *workflow.Posting, part render.Part,
) (ts string, err error) {
	thread := posting.Thread
	options := []slack.MsgOption{
		slack.MsgOptionText(part.Text, false),
		slack.MsgOptionMetadata(slack.SlackMetadata{
			EventType:    eventType,
			EventPayload: map[string]any{"key": part.Key},
		}),
		// Slack must not add anything to the text: no links, no names, no previews.
		slack.MsgOptionParse(false), slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl(),
	}
	if !posting.Begins {
		options = append(options, slack.MsgOptionTS(thread.TS))
	}
	if part.Blocks != nil {
		options = append(options, slack.MsgOptionBlocks(part.Blocks...))
	}
	var answer bot.ResponseBody
	err = p.Slack.Call(ctx, func() error {
		if err := p.channelPace(thread.Channel).Wait(ctx); err != nil {
			return err
		}
		if err := p.Outbox.CheckOwner(ctx, posting.Key); err != nil {
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
	if !posting.Begins && answer.IsOutsideThread() {
		return "", p.takeBack(ctx, thread, ts)
	}
	failpoint.Crash("reply_posted")
	return ts, nil
}

// takeBack deletes a reply that appeared in the channel: if the thread's root was deleted, Slack puts replies
// there without an error.
func (p *Poster) takeBack(ctx context.Context, thread workflow.Thread, ts string) error {
	err := p.Slack.Call(ctx, func() error {
		_, _, err := p.Slack.API.DeleteMessageContext(ctx, thread.Channel, ts)
		return err
	})
	if err != nil {
		p.log().Warn("a reply stands in the channel, since its thread is gone", "channel", thread.Channel,
			"ts", ts, "err", err)
	}
	return &refusal{"thread_not_found"}
}

// endSign deletes the message of a sign. Slack may never have had it, and to delete it twice changes nothing.
func (p *Poster) endSign(ctx context.Context, posting *workflow.Posting) error {
	if posting.OnTS == "" {
		return nil
	}
	err := p.Slack.Call(ctx, func() error {
		_, _, err := p.Slack.API.DeleteMessageContext(ctx, posting.Thread.Channel, posting.OnTS)
		return err
	})
	if bot.ErrorCode(err) == "message_not_found" {
		return nil
	}
	return judgeRefusal(err)
}

// postEphemeral shows words to one person alone. If they were tried before, they may have been shown.
func (p *Poster) postEphemeral(ctx context.Context, posting *workflow.Posting, text string) error {
	if posting.Tried {
		return nil
	}
	err := p.Slack.Call(ctx, func() error {
		_, err := p.Slack.API.PostEphemeralContext(ctx, posting.Thread.Channel, posting.EphemeralTo,
			slack.MsgOptionText(text, false), slack.MsgOptionTS(posting.Thread.TS),
			slack.MsgOptionParse(false), slack.MsgOptionDisableLinkUnfurl(),
			slack.MsgOptionDisableMediaUnfurl())
		return err
	})
	return judgeRefusal(err)
}

// postPrivately shows a line to one person alone. If Slack refuses that, or if it was tried before and nobody
// knows whether it was shown, the line is posted in the thread, so that it is not lost.
func (p *Poster) postPrivately(ctx context.Context, posting *workflow.Posting) (ts string, err error) {
	if !posting.Tried {
		err := p.postEphemeral(ctx, posting, p.style().Line(posting.Lines[0]))
		var refused *refusal
		if !errors.As(err, &refused) {
			return posting.Key, err
		}
		p.log().Info("a line is posted in the thread, since Slack does not show it to the person alone",
			"key", posting.Key, "reason", refused.reason)
	}
	public := *posting
	public.Reaction, public.EphemeralTo, public.Ephemeral = "", "", ""
	line := posting.Lines[0]
	if posting.EphemeralName != "" {
		line.Text = posting.EphemeralName + ": " + line.Text
	}
	public.Lines = []workflow.Line{line}
	return p.postReply(ctx, &public)
}

func (p *Poster) addReaction(ctx context.Context, posting *workflow.Posting) error {
	err := p.Slack.Call(ctx, func() error {
		return p.Slack.API.AddReactionContext(ctx, posting.Reaction,
			slack.NewRefToMessage(posting.Thread.Channel, posting.OnTS))
	})
	if bot.ErrorCode(err) == "already_reacted" {
		return nil
	}
	return judgeRefusal(err)
}

// pin pins a message to its channel. Doing so twice changes nothing in Slack.
func (p *Poster) pin(ctx context.Context, posting *workflow.Posting) error {
	err := p.Slack.Call(ctx, func() error {
		return p.Slack.API.AddPinContext(ctx, posting.Thread.Channel,
			slack.NewRefToMessage(posting.Thread.Channel, posting.OnTS))
	})
	switch bot.ErrorCode(err) {
	case "already_pinned":
		return nil
	case "missing_scope":
		return &refusal{"missing_scope"} // people can pin it by hand
	}
	return judgeRefusal(err)
}

// findInThread returns the parts and files of a posting that are in Slack, or nothing if the
// posting was not tried before.
func (p *Poster) findInThread(
	ctx context.Context, posting *workflow.Posting, parts []render.Part, files []render.File,
) (there foundInThread, err error) {
	if !posting.Tried || p.skipLookup {
		return there, nil
	}
	for range fileLooks {
		if there, err = p.lookUp(ctx, posting); err != nil || !there.awaited(parts, files) {
			break
		}
	}
	return there, err
}

// settle is the wait before a posting that was tried is looked up.
func (p *Poster) settle() time.Duration {
	return cmp.Or(p.Settle, failpoint.Wait(failpoint.PostingSettle, 3*time.Second))
}

// lookUp waits until an earlier request must have arrived, and reads the thread.
func (p *Poster) lookUp(ctx context.Context, posting *workflow.Posting) (foundInThread, error) {
	if err := bot.Pause(ctx, p.settle()); err != nil {
		return foundInThread{}, err
	}
	there, err := p.readThread(ctx, posting)
	if err == nil {
		p.log().Info("looked up a posting that was tried before", "key", posting.Key,
			"found", there.parts[posting.Key] != "")
	}
	return there, err
}

// readThread reads which parts and files of the bot are in the posting's thread.
func (p *Poster) readThread(ctx context.Context, posting *workflow.Posting) (foundInThread, error) {
	there := foundInThread{parts: map[string]string{}}
	err := p.Slack.ReadThread(ctx, posting.Thread, true, func(m bot.Message) {
		key, _ := m.Metadata.EventPayload["key"].(string)
		// Any app may write any metadata; only that of the bot counts.
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
		return foundInThread{}, fmt.Errorf("look for it in the thread: %w", judgeRefusal(err))
	}
	return there, nil
}

func (p *Poster) channelPace(channel string) *rate.Limiter {
	p.mu.Lock()
	defer p.mu.Unlock()
	limiter := p.paces[channel]
	if limiter == nil {
		pace := cmp.Or(p.Pace, failpoint.Wait(failpoint.ReplyPace, time.Second))
		limiter = rate.NewLimiter(rate.Every(pace), 1)
		if p.paces == nil {
			p.paces = map[string]*rate.Limiter{}
		}
		p.paces[channel] = limiter
	}
	return limiter
}

// A refusal is Slack's permanent refusal of one posting.
type refusal struct{ reason string }

func (r *refusal) Error() string { return r.reason }

// judgeRefusal returns a *refusal if Slack refused the call permanently, or an *AuthError if it refused the
// app. It returns other errors unchanged, such as a lost response, a 5xx status or a network failure.
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

// refusesBlocks reports whether Slack refused a message because of its blocks. That is a mistake of ours or a
// new rule of Slack's; a message without buttons is better than none.
func refusesBlocks(err error) bool {
	return slices.Contains([]string{"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long"},
		bot.ErrorCode(err))
}
