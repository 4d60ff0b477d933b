package poster

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/slack-go/slack"
	"golang.org/x/time/rate"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/internal/render"
	"github.com/bobbinhq/bobbin/workflow"
)

// Cards is a queue of cards that have to be redrawn.
type Cards interface {
	// NextCard leases the card that has waited longest to the caller for a while; it returns nil if no card
	// has to be drawn. Only cards that already have a message are leased.
	NextCard(ctx context.Context) (*workflow.Card, error)
	// Drawn records that the card's message shows the current card.
	Drawn(ctx context.Context, c *workflow.Card) error
	// CardLater returns the card to the queue, to be drawn after the wait.
	CardLater(ctx context.Context, c *workflow.Card, wait time.Duration) error
	// CardGone records that the card's message cannot be updated any more, and why.
	CardGone(ctx context.Context, c *workflow.Card, why string) error
}

// A Painter updates the cards of runs while they go on. Lines are posted independently and do not wait for
// it. A card that Slack rate-limits is redrawn after Retry-After. The more cards there are, the less often
// each is updated. Set the fields before Run.
type Painter struct {
	Poster *Poster // its Slack, Log, Name and GuestFilter apply to cards, too
	Cards  Cards

	// Pace is the time between two updates of any cards; default 1.5 s. Slack accepts about fifty chat.update
	// calls of an app per minute (docs.slack.dev/reference/methods/chat.update: Tier 3), and updates of
	// answered questions count too.
	Pace time.Duration
	// Look is how often the painter looks for cards; default 0.5 s.
	Look time.Duration
}

const (
	cardsAtOnce = 4                // cards drawn concurrently, so that one that hangs blocks no other
	cardTimeout = 15 * time.Second // limit for one update, including the wait for the pace
	cardEnd     = 2 * time.Second  // time to finish a drawing when the program stops
	cardPause   = 5 * time.Second  // wait after an update that failed
)

// Run draws cards until ctx ends.
func (p *Painter) Run(ctx context.Context) {
	pace := rate.NewLimiter(rate.Every(cmp.Or(p.Pace, 1500*time.Millisecond)), cardsAtOnce)
	tick := time.NewTicker(cmp.Or(p.Look, 500*time.Millisecond))
	defer tick.Stop()
	var all sync.WaitGroup
	defer all.Wait()
	free := make(chan struct{}, cardsAtOnce)
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

// startNext starts to draw one card; it returns false if there is none.
func (p *Painter) startNext(
	ctx context.Context, all *sync.WaitGroup, free chan struct{}, pace *rate.Limiter,
) bool {
	select {
	case <-ctx.Done():
		return false
	case free <- struct{}{}:
	}
	next, err := p.Cards.NextCard(ctx)
	if err != nil && ctx.Err() == nil {
		p.Poster.log().Warn("cards are not drawn now", "err", err)
	}
	if err != nil || next == nil {
		<-free
		return false
	}
	all.Go(func() {
		defer func() { <-free }()
		// A drawing gets a moment to finish when the program stops. Otherwise the card would wait until its
		// lease ends.
		drawing, cancel := context.WithTimeout(context.WithoutCancel(ctx), cardTimeout)
		defer cancel()
		defer context.AfterFunc(ctx, func() { time.AfterFunc(cardEnd, cancel) })()
		if err := p.drawCard(drawing, next, pace); err != nil {
			p.Poster.log().Warn("a card is drawn later", "session", next.Session, "run", next.Run, "err", err)
		}
	})
	return true
}

// drawCard updates the card's message if the card has changed since it was last shown.
func (p *Painter) drawCard(ctx context.Context, c *workflow.Card, pace *rate.Limiter) error {
	if c.Mark() == c.DrawnMark {
		return p.Cards.Drawn(ctx, c)
	}
	if pace.Wait(ctx) != nil {
		return p.giveBack(ctx, c, cardPause)
	}
	err := drawCard(p.Poster.Slack, p.Poster.Name, p.Poster.GuestFilter.filterCard(ctx,
		c), func(face render.Part) error {
		_, _, _, err := p.Poster.Slack.API.UpdateMessageContext(ctx, c.Thread.Channel, c.TS,
			slack.MsgOptionText(face.Text, false), slack.MsgOptionBlocks(face.Blocks...),
			slack.MsgOptionMetadata(slack.SlackMetadata{
				EventType:    eventType,
				EventPayload: map[string]any{"key": face.Key},
			}),
			slack.MsgOptionParse(false), slack.MsgOptionDisableLinkUnfurl(),
			slack.MsgOptionDisableMediaUnfurl())
		p.Poster.Slack.NoteUpdate(err)
		return err
	})
	return p.recordDrawn(ctx, c, err)
}

// recordDrawn records the result of a drawing.
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
		p.Poster.log().Info("a card is not drawn any more", "session", c.Session, "run", c.Run,
			"reason", refused.reason)
		return p.Cards.CardGone(ctx, c, refused.reason)
	}
	return errors.Join(err, p.giveBack(ctx, c, cardPause))
}

// giveBack returns the card to the queue, even if ctx has ended.
func (p *Painter) giveBack(ctx context.Context, c *workflow.Card, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), cardEnd)
	defer cancel()
	return p.Cards.CardLater(ctx, c, wait)
}

// drawCard calls send with the rendered card. If the endpoint refuses the newer blocks, it sends the card in
// plain blocks, which all cards then use until the program restarts.
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

// refusalCode returns Slack's error code, also that of a *refusal.
func refusalCode(err error) string {
	var refused *refusal
	if errors.As(err, &refused) {
		return refused.reason
	}
	return bot.ErrorCode(err)
}
