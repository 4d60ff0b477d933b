package gateway

import (
	"cmp"
	"context"
	"testing"
	"time"

	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/poster"
	"github.com/bobbinhq/bobbin/bot/slacktest"
)

// gatewayOffice is a fake Slack workspace with people in #bugs and the bot.
type gatewayOffice struct{ *bottest.Office }

func openGatewayOffice(t *testing.T, cfg slacktest.Config) *gatewayOffice {
	t.Helper()
	return &gatewayOffice{bottest.Open(t, cfg)}
}

// untilAcked makes Slack retry an event 100 times without a wait, so that one delivery is acknowledged in
// time even on a busy machine.
var untilAcked = make([]time.Duration, 100)

// run starts a gateway that ends with the test, and waits for its connections.
func (o *gatewayOffice) run(g *Gateway) *Gateway {
	o.T.Helper()
	g.Slack = o.Bot
	g.Apart = cmp.Or(g.Apart, time.Millisecond)
	g.StoreTimeout = cmp.Or(g.StoreTimeout, time.Millisecond)
	g.AckTimeout = cmp.Or(g.AckTimeout, time.Minute) // as the fake Slack has it (bottest.Open)
	o.RunGateway(g.Run, max(g.Connections, 1))
	return g
}

func cancellable(t *testing.T) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	return ctx, cancel
}

// poster returns a poster that does not wait between posts.
func (o *gatewayOffice) poster(out *bottest.Outbox) *poster.Poster {
	return &poster.Poster{Slack: o.Bot, Outbox: out, Pace: time.Nanosecond, Settle: time.Nanosecond}
}
