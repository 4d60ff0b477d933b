package gateway

import (
	"context"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot/event"
	"github.com/bobbinhq/bobbin/bot/render"
	"github.com/bobbinhq/bobbin/workflow/button"
	"github.com/bobbinhq/bobbin/workflow/hometab"
	"github.com/bobbinhq/bobbin/workflow/incoming"
)

// The App Home is made from rows whenever somebody opens it, and stays as it is until it is
// opened again. So its event is acknowledged first: if one is lost, the home stays as it
// was, and the person opens it once more.

// Homes makes the App Home of a person.
type Homes interface {
	Home(ctx context.Context, user string) (hometab.View, error)
	// Press does what a button of the user's home says, where that user may. Twice is once.
	Press(ctx context.Context, user, action, value string) error
	// Form is what a button of the user's home opens; nil: it opens nothing.
	Form(ctx context.Context, user, action, value string) (*button.Form, error)
	// Submit takes such a form that the user sent, or returns in words why it does not count.
	Submit(ctx context.Context, in incoming.Event) (late string, err error)
}

const (
	homeTimeout = 20 * time.Second // for one home
	homesAtOnce = 4
)

// openHome publishes a home in the background.
func (l *link) openHome(ctx context.Context, user string) {
	if l.Homes == nil {
		return
	}
	l.homes.running.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, homeTimeout)
		defer cancel()
		select {
		case l.homes.places() <- struct{}{}:
			defer func() { <-l.homes.places() }()
		case <-ctx.Done():
			return
		}
		if err := l.PublishHome(ctx, user); err != nil && ctx.Err() == nil {
			l.log.Error("cannot show somebody their home", "user", user, "err", err)
		}
	})
}

// pressHome does what a button of a home says, and shows the home as it is then. What failed is
// said in the log, and the person sees that nothing changed.
func (l *link) pressHome(ctx context.Context, user, action, value string, payload []byte) {
	if l.Homes == nil {
		return
	}
	bounded, cancel := context.WithTimeout(ctx, formTimeout)
	defer cancel()
	form, err := l.Homes.Form(bounded, user, action, value)
	switch trigger := event.ReadTrigger(payload); {
	case err == nil && form != nil:
		if _, err = l.Slack.API.OpenViewContext(bounded, trigger, render.Modal(*form, "")); err == nil {
			return // the home is as it was
		}
	case err == nil:
		err = l.Homes.Press(bounded, user, action, value)
	}
	if err != nil {
		l.log.Error("a button of a home did nothing", "user", user, "action", action, "err", err)
	}
	l.openHome(ctx, user)
}

// homePublishing bounds how many homes are made at once, and waits for them.
type homePublishing struct {
	running sync.WaitGroup
	once    sync.Once
	free    chan struct{}
}

func (p *homePublishing) places() chan struct{} {
	p.once.Do(func() { p.free = make(chan struct{}, homesAtOnce) })
	return p.free
}

// PublishHome makes and publishes the App Home of a user.
func (g *Gateway) PublishHome(ctx context.Context, user string) error {
	home, err := g.Homes.Home(ctx, user)
	if err != nil {
		return err
	}
	view := slack.HomeTabViewRequest{Type: slack.VTHomeTab, Blocks: slack.Blocks{BlockSet: render.HomePage{Bot: g.Slack.Self().User, WorkspaceURL: g.Slack.WorkspaceURL()}.Blocks(home)}}
	return g.Slack.Call(ctx, func() error {
		_, err := g.Slack.API.PublishViewContext(ctx, slack.PublishViewContextRequest{UserID: user, View: view})
		return err
	})
}
