package gateway

import (
	"context"
	"sync"
	"time"

	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot/internal/event"
	"github.com/bobbinhq/bobbin/bot/internal/render"
	"github.com/bobbinhq/bobbin/workflow"
)

// The App Home is made from database rows each time a person opens it, and stays unchanged until it is opened
// again. So its event is acknowledged first: if the update is lost, the person can
// open the App Home once more.

// Homes makes App Homes and handles their buttons.
type Homes interface {
	Home(ctx context.Context, user string) (workflow.HomeView, error)
	// Press runs the action of a button in the user's home, if the user has the permission. A repeated press
	// has no further effect.
	Press(ctx context.Context, user string, action workflow.ActionID, value string) error
	// Form returns the modal that a button of the user's home opens, or nil.
	Form(ctx context.Context, user string, action workflow.ActionID, value string) (*workflow.Form, error)
	// Submit stores a submission of such a modal, or returns as text why it is refused.
	Submit(ctx context.Context, in workflow.IncomingEvent) (late string, err error)
}

const (
	homeTimeout = 20 * time.Second // limit for making and publishing one home
	homesAtOnce = 4
)

// openHome publishes the user's home in the background.
func (l *link) openHome(ctx context.Context, user string) { l.showHome(ctx, user, "") }

// showHome publishes the user's home in the background, with a notice at its top unless that is empty.
func (l *link) showHome(ctx context.Context, user, notice string) {
	if l.Homes == nil {
		return
	}
	l.homes.running.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, homeTimeout)
		defer cancel()
		select {
		case l.homes.slots() <- struct{}{}:
			defer func() { <-l.homes.slots() }()
		case <-ctx.Done():
			return
		}
		if err := l.publishHome(ctx, user, notice); err != nil && ctx.Err() == nil {
			l.log.Error("cannot show somebody their home", "user", user, "err", err)
		}
	})
}

// pressHome runs the action of a button in a home, or opens its modal, and publishes the home again. A
// failure is only logged, since the person sees that nothing changed; but the home says so if a modal took
// too long to open.
func (l *link) pressHome(
	ctx context.Context, user string, action workflow.ActionID, value string, payload []byte,
) {
	if l.Homes == nil {
		return
	}
	bounded, cancel := context.WithTimeout(ctx, l.formTimeout())
	defer cancel()
	form, err := l.Homes.Form(bounded, user, action, value)
	switch trigger := event.ReadTrigger(payload); {
	case err == nil && form != nil:
		if _, err = l.Slack.API.OpenViewContext(bounded, trigger, render.Modal(*form, "")); err == nil {
			return // nothing changed, so the home is not published again
		}
	case err == nil:
		err = l.Homes.Press(bounded, user, action, value)
	}
	if err != nil {
		l.log.Error("a button of a home did nothing", "user", user, "action", action, "err", err)
	}
	notice := ""
	if tookTooLong(err) {
		notice = tooLate
	}
	l.showHome(ctx, user, notice)
}

// homePublishing limits how many homes are made at the same time, and waits for them at the end.
type homePublishing struct {
	running sync.WaitGroup
	once    sync.Once
	free    chan struct{}
}

func (h *homePublishing) slots() chan struct{} {
	h.once.Do(func() { h.free = make(chan struct{}, homesAtOnce) })
	return h.free
}

// PublishHome makes and publishes the App Home of a user.
func (g *Gateway) PublishHome(ctx context.Context, user string) error {
	return g.publishHome(ctx, user, "")
}

func (g *Gateway) publishHome(ctx context.Context, user, notice string) error {
	home, err := g.Homes.Home(ctx, user)
	if err != nil {
		return err
	}
	home.Notice = notice
	view := slack.HomeTabViewRequest{
		Type:   slack.VTHomeTab,
		Blocks: slack.Blocks{BlockSet: g.homePage().Blocks(home)},
	}
	return g.Slack.Call(ctx, func() error {
		_, err := g.Slack.API.PublishViewContext(ctx, slack.PublishViewContextRequest{
			UserID: user,
			View:   view,
		})
		return err
	})
}

// homePage returns what renders homes, and what is said of sessions elsewhere, in this workspace.
func (g *Gateway) homePage() render.HomePage {
	self := g.Slack.Self()
	return render.HomePage{Bot: self.User, Name: self.Name, WorkspaceURL: g.Slack.WorkspaceURL()}
}
