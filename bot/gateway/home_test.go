package gateway

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/bottest"
	"github.com/bobbinhq/bobbin/bot/internal/render"
	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/workflow"
)

// homes is a fake Homes that shows everyone the same home.
type homes struct{ shows workflow.HomeView }

func (h homes) Home(_ context.Context, user string) (workflow.HomeView, error) {
	h.shows.Person.ID = user
	return h.shows, nil
}

func (homes) Press(context.Context, string, workflow.ActionID, string) error { return nil }

func (homes) Form(context.Context, string, workflow.ActionID, string) (*workflow.Form, error) {
	return nil, nil
}

func (homes) Submit(context.Context, workflow.IncomingEvent) (string, error) { return "", nil }

func (o *gatewayOffice) session(n int, phase workflow.Phase) workflow.HomeSession {
	return workflow.HomeSession{Session: workflow.Session{
		ID:        fmt.Sprint("s", n),
		Thread:    o.ThreadOf(fmt.Sprintf("17000000%02d.000100", n)),
		Phase:     phase,
		Title:     fmt.Sprint("bug ", n),
		Requester: o.Ben.ID,
		Codebase:  workflow.Codebase{Repository: "shop"},
		SpentUSD:  0.5,
		Updated:   time.Unix(1_700_000_000, 0),
	}}
}

// shownAt returns the texts of a home, one for each block.
func (o *gatewayOffice) shownAt(home workflow.HomeView) []string {
	raw, err := json.Marshal(render.HomePage{
		Bot:          o.Bot.Self().User,
		WorkspaceURL: o.Bot.WorkspaceURL(),
	}.Blocks(home))
	require.NoError(o.T, err)
	var blocks []struct{ Text struct{ Text string } }
	require.NoError(o.T, json.Unmarshal(raw, &blocks))
	var texts []string
	for _, b := range blocks {
		texts = append(texts, b.Text.Text)
	}
	return texts
}

func TestAHomeIsPublishedWhenItIsOpened(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	in := &bottest.Inbox{}
	root := o.AdaSays("it fails", "")
	x := o.session(1, workflow.PhaseDone)
	x.Thread = o.ThreadOf(root)
	o.run(&Gateway{Inbox: in, Homes: homes{workflow.HomeView{Others: []workflow.HomeSession{x}}}})
	for range 2 {
		require.NoError(t, o.OpenHome(o.Ada.ID))
	}
	require.Eventually(t, func() bool { return len(o.Requests("views.publish")) == 2 && len(o.Views()) == 1 },
		time.Minute, time.Millisecond)
	view := string(o.Views()[0].Blocks())
	require.Contains(t, view, "bug 1")
	link, err := o.Bot.API.GetPermalinkContext(t.Context(), &slack.PermalinkParameters{
		Channel: o.Bugs.ID,
		Ts:      root,
	})
	require.NoError(t, err)
	require.Contains(t, view, link, "the thread's own address")
	o.Settle()
	calls, _ := in.Seen()
	require.Empty(t, calls)
}

func TestAHomeIsBoundedAndForged(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	home := workflow.HomeView{
		Person:   workflow.Person{ID: o.Ada.ID, Name: "ada"},
		More:     true,
		Settings: []string{strings.Repeat("limit #C0123ABCD <!here> ", 2000)},
	}
	for n := range 90 {
		home.Others = append(home.Others, o.session(n, []workflow.Phase{
			workflow.PhaseWorking, workflow.PhaseReported, workflow.PhaseDone, workflow.PhaseStopped,
		}[n%4]))
	}
	evil := o.session(91, workflow.PhaseReported)
	evil.Title = "<!channel> | <https://evil.example|x> `*a*` \u202e" + strings.Repeat("é", 4000)
	evil.Why = "a report to approve or correct"
	home.Waits = []workflow.HomeSession{evil}
	o.run(&Gateway{Inbox: &bottest.Inbox{}, Homes: homes{home}})
	require.NoError(t, o.OpenHome(o.Ada.ID)) // the fake Slack enforces the limits of blocks
	require.Eventually(t, func() bool { return len(o.Views()) == 1 }, time.Minute, time.Millisecond)
	texts := o.shownAt(home)
	require.Len(t, texts, render.MaxHomeBlocks)
	require.Equal(t, "There is more than Slack shows here.", texts[len(texts)-1])
	require.Equal(t, "Waits for you", texts[0])
	all := strings.Join(texts, "\n")
	for _, bad := range []string{"<!channel>", "<!here>", "<https://evil", "\u202e"} {
		require.NotContains(t, all, bad)
	}
	require.Equal(t, 1, strings.Count(strings.SplitN(texts[1], "\n", 2)[0], "|"), "one label")
}

// TestAHomeOfAGuest checks that guests and people from other workspaces see no repository name, and that a
// closed home says that it lists only the sessions that the person asked for.
func TestAHomeOfAGuest(t *testing.T) {
	t.Parallel()
	o := openGatewayOffice(t, slacktest.Config{})
	x := o.session(1, workflow.PhaseDone)
	for name, c := range map[string]struct {
		person workflow.Person
		repo   bool
	}{
		"a member":     {workflow.Person{Name: "ada"}, true},
		"a guest":      {workflow.Person{Name: "gus", Guest: true}, false},
		"a stranger":   {workflow.Person{Name: "eve", Stranger: true}, false},
		"nobody known": {workflow.Person{}, false},
	} {
		texts := strings.Join(o.shownAt(workflow.HomeView{
			Person: c.person,
			Others: []workflow.HomeSession{x},
		}), "\n")
		require.Equal(t, c.repo, strings.Contains(texts, "shop"), name)
	}
	require.Contains(t, strings.Join(o.shownAt(workflow.HomeView{OwnOnly: true}), "\n"),
		"only the sessions that you asked for")
}
