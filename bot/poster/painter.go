package poster

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/render"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/slack-go/slack"
	"golang.org/x/time/rate"
)

// Cards are the progress messages that have to be drawn anew.
type Cards interface {
	// NextCard gives out the card that has waited longest, to this caller alone for a while;
	// nil when none has to be drawn. Only cards that have a message are given out.
	NextCard(ctx context.Context) (*workflow.Card, error)
	// Drawn keeps that the card's message shows it.
	Drawn(ctx context.Context, c *workflow.Card) error
	// CardLater gives the card back, to be drawn after a while.
	CardLater(ctx context.Context, c *workflow.Card, wait time.Duration) error
	// CardGone keeps that the card's message cannot be written any more, and why.
	CardGone(ctx context.Context, c *workflow.Card, why string) error
}

// A Painter writes the cards of runs again as they go on. It takes nothing from the lines of
// a thread: those go out beside it. A card that Slack rate-limits is redrawn after
// Retry-After, and with many at work each is written less often. Its fields are set before Run.
type Painter struct {
	Poster *Poster // whose Slack, Log, Name and GuestFilter hold for cards, too
	Cards  Cards

	// Pace is the time between two updates, over all cards; default 1.5 s. Slack takes some
	// fifty of an app in a minute (docs.slack.dev/reference/methods/chat.update: Tier 3), and
	// rewritten questions are among them.
	Pace time.Duration
	// Look is how often it looks for cards; default 0.5 s.
	Look time.Duration
}

const (
	brushes   = 4                // cards that are written at once: one that hangs holds up no other
	cardTimes = 15 * time.Second // for one update, with its wait
	cardEnd   = 2 * time.Second  // to end what was begun
	cardPause = 5 * time.Second  // after an update that failed
)

// Run draws cards until ctx ends.
func (p *Painter) Run(ctx context.Context) {
	pace := rate.NewLimiter(rate.Every(cmp.Or(p.Pace, 1500*time.Millisecond)), brushes)
	tick := time.NewTicker(cmp.Or(p.Look, 500*time.Millisecond))
	defer tick.Stop()
	var all sync.WaitGroup
	defer all.Wait()
	free := make(chan struct{}, brushes)
	for {
		for p.Poster.Slack.MayUpdate() && p.startNext(ctx, &all, free, pace) {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// startNext begins to draw one card; false when there is none.
func (p *Painter) startNext(ctx context.Context, all *sync.WaitGroup, free chan struct{}, pace *rate.Limiter) bool {
	select {
	case <-ctx.Done():
		return false
	case free <- struct{}{}:
	}
	card, err := p.Cards.NextCard(ctx)
	if err != nil && ctx.Err() == nil {
		p.Poster.log().Warn("cards are not drawn now", "err", err)
	}
	if err != nil || card == nil {
		<-free
		return false
	}
	all.Go(func() {
		defer func() { <-free }()
		// What was begun has a moment to end when the program does: it would else wait for its lease.
		drawing, cancel := context.WithTimeout(context.WithoutCancel(ctx), cardTimes)
		defer cancel()
		defer context.AfterFunc(ctx, func() { time.AfterFunc(cardEnd, cancel) })()
		if err := p.drawCard(drawing, card, pace); err != nil {
			p.Poster.log().Warn("a card is drawn later", "session", card.Session, "run", card.Run, "err", err)
		}
	})
	return true
}

// drawCard makes the card's message show it.
func (p *Painter) drawCard(ctx context.Context, c *workflow.Card, pace *rate.Limiter) error {
	if c.Mark() == c.Shown {
		return p.Cards.Drawn(ctx, c)
	}
	if pace.Wait(ctx) != nil {
		return p.giveBack(ctx, c, cardPause)
	}
	err := drawCard(p.Poster.Slack, p.Poster.Name, p.Poster.GuestFilter.filterCard(ctx, c), func(face render.Part) error {
		_, _, _, err := p.Poster.Slack.API.UpdateMessageContext(ctx, c.Thread.Channel, c.TS,
			slack.MsgOptionText(face.Text, false), slack.MsgOptionBlocks(face.Blocks...),
			slack.MsgOptionMetadata(slack.SlackMetadata{EventType: eventType, EventPayload: map[string]any{"key": face.Key}}),
			slack.MsgOptionParse(false), slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl())
		p.Poster.Slack.NoteUpdate(err)
		return err
	})
	return p.recordDrawn(ctx, c, err)
}

// recordDrawn keeps what came of a drawing.
func (p *Painter) recordDrawn(ctx context.Context, c *workflow.Card, err error) error {
	if err == nil {
		return p.Cards.Drawn(ctx, c)
	}
	var limited *slack.RateLimitedError
	if errors.As(err, &limited) {
		return p.giveBack(ctx, c, limited.RetryAfter)
	}
	var refused *refusal
	if errors.As(judgeRefusal(err), &refused) {
		p.Poster.log().Info("a card is not drawn any more", "session", c.Session, "run", c.Run, "reason", refused.reason)
		return p.Cards.CardGone(ctx, c, refused.reason)
	}
	return errors.Join(err, p.giveBack(ctx, c, cardPause))
}

// giveBack gives the card back, also where its time has run out.
func (p *Painter) giveBack(ctx context.Context, c *workflow.Card, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cardEnd)
	defer cancel()
	return p.Cards.CardLater(ctx, c, wait)
}

// drawCard hands the rendered card to send. Where the endpoint refuses the newer blocks the
// card is sent in plain ones, and so are all others until the program starts again.
func drawCard(s *bot.Slack, name string, c *workflow.Card, send func(render.Part) error) error {
	face := render.CardFace{Name: name, Plain: s.PlainCards.Load()}
	err := send(face.Render(c))
	if face.Plain || !slices.Contains([]string{"invalid_blocks", "invalid_blocks_format"}, refusalCode(err)) {
		return err
	}
	s.Log().Info("Slack takes no plan blocks here; cards are shown in plain ones")
	s.PlainCards.Store(true)
	return send(render.CardFace{Name: name, Plain: true}.Render(c))
}

// refusalCode is Slack's code, also of what was judged already.
func refusalCode(err error) string {
	var refused *refusal
	if errors.As(err, &refused) {
		return refused.reason
	}
	return bot.ErrorCode(err)
}
