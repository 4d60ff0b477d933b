package tickets

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/repo/tracker"
	"github.com/bobbinhq/bobbin/repo/tracker/trackertest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/store/ticket"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

const secret = "hunter2hunter2hunter2"

// A desk is a Filer, a place for issues, and a session with a report.
type desk struct {
	*Filer
	turn     *store.Turn
	session  string
	place    string
	lose     func()
	at       *hosttest.Server // nil: the place is a tracker
	filed    func() []string  // title and text of each issue
	comments func() []string  // of the ticket SHOP-1
}

// places are where issues are filed.
var places = []string{host.GitHub, host.GitLab, host.Gitea, tracker.Jira, tracker.Linear}

func open(t *testing.T, kind string) *desk {
	t.Helper()
	s := storetest.Open(t)
	d := &desk{turn: storetest.BeginTurn(t, s)}
	d.session = d.turn.Session().ID
	d.Filer = &Filer{
		Rows: ticket.Register{Store: s}, Agent: "orchestrator", Log: storetest.Silent,
		Secrets:      redact.New(secret),
		Repositories: []repository.Repository{{Remote: remote.Remote{Name: "shop"}}},
		ThreadURL:    func(workflow.Thread) string { return "https://acme.slack.com/archives/C1/p1" },
	}
	if kind == tracker.Jira || kind == tracker.Linear {
		d.openTracker(t, kind)
	} else {
		d.openHost(t, kind)
	}
	d.place = d.Repositories[0].IssuePlace(d.Trackers).Name
	storetest.RecordReport(t, d.turn, 1, "The total is off.")
	return d
}

func (d *desk) openTracker(t *testing.T, kind string) {
	t.Helper()
	at := trackertest.Listen(kind, "SHOP")
	t.Cleanup(at.Close)
	at.Add(trackertest.Issue{Key: "SHOP-1", Title: "Somebody's"})
	one, err := tracker.New(tracker.Config{
		Kind: kind, URL: at.URL, API: at.API, Token: trackertest.Token, Projects: []string{"SHOP"},
		FileIn: "SHOP", Comments: true,
	})
	require.NoError(t, err)
	d.Trackers = []*tracker.Tracker{one}
	d.lose = at.Lose
	d.filed = func() (list []string) {
		for _, i := range at.Issues()[1:] {
			list = append(list, i.Title+"\n"+i.Text)
		}
		return list
	}
	d.comments = func() []string { return at.Issues()[0].Comments }
}

func (d *desk) openHost(t *testing.T, kind string) {
	t.Helper()
	at := hosttest.Listen(hosttest.Config{Kind: kind, Repository: "acme/shop", Token: "tok"})
	t.Cleanup(at.Close)
	web := at.URL + "/acme/shop"
	sign := func(context.Context, bool) (remote.Credential, error) {
		return remote.Credential{Password: "tok"}, nil
	}
	pulls := repository.PullRequests{Kind: kind, Web: web}
	switch kind {
	case host.GitLab:
		pulls.Host = host.NewGitLab(host.GitLabConfig{API: at.API, Web: web, Path: "acme/shop", Token: sign})
	case host.Gitea:
		pulls.Host = host.NewGitea(host.GiteaConfig{
			API: at.API, Web: web, Owner: "acme", Name: "shop", Token: sign,
		})
	default:
		pulls.Host = host.NewGitHub(host.GitHubConfig{
			API: at.API, Web: web, Owner: "acme", Name: "shop", Token: sign,
		})
	}
	d.Repositories[0].Pulls = pulls
	d.at = at
	d.lose = func() { at.Lose("POST") }
	d.filed = func() (list []string) {
		for _, i := range at.Issues() {
			list = append(list, i.Title+"\n"+i.Body)
		}
		return list
	}
}

// order has the report filed, as ann's message number n does; the first one began the session.
func (d *desk) order(t *testing.T, n int) error {
	t.Helper()
	by := *storetest.Permission(fmt.Sprint("k", n), workflow.PermitFile, 1)
	if n > 1 {
		by.MessageTS = fmt.Sprintf("%d.0", n)
		require.NoError(t, d.Rows.Store.Pool.QueryRow(t.Context(),
			`insert into inbox (session_id, event_id, kind, message_ts, user_id, text)
			values ($1, $2, 'reply', $3, 'U1', 'file it') returning id`,
			d.session, by.ID, by.MessageTS).Scan(&by.Message))
	}
	return d.turn.Record(t.Context(), consent.Permission{Permission: by},
		ticket.Order{
			Key: ticket.OfRevision(1), Repository: "shop", Place: d.place, Revision: 1,
			Title: "A cent is lost", Body: "### Report\n\nThe password is " + secret + ".",
		})
}

func (d *desk) comment(t *testing.T) {
	t.Helper()
	require.NoError(t, d.turn.Record(t.Context(), ticket.Comment{
		Key: ticket.OfComment(d.Trackers[0].Kind, "SHOP-1"), Repository: "shop", Place: d.Trackers[0].Name(),
		Tracker: d.Trackers[0].Kind, Issue: "SHOP-1", Revision: 1, Body: "Pushed for this: Fix it",
	}))
}

func (d *desk) look(t *testing.T) (again bool) {
	t.Helper()
	next, err := d.Look(t.Context(), d.session)
	require.NoError(t, err)
	return next > 0
}

// settled lets the time pass that a tracker may take to find what was written.
func (d *desk) settled(t *testing.T) {
	t.Helper()
	_, err := d.Rows.Store.Pool.Exec(t.Context(),
		`update tickets set tried_at = tried_at - interval '2 minutes' where tried_at is not null`)
	require.NoError(t, err)
}

func (d *desk) said(t *testing.T) (texts []string) {
	t.Helper()
	lines, err := d.Rows.Store.Lines(t.Context(), d.session)
	require.NoError(t, err)
	for _, l := range lines {
		texts = append(texts, l.Text)
	}
	return texts
}

// everywhere plays a test at each place.
func everywhere(t *testing.T, play func(t *testing.T, d *desk)) {
	t.Helper()
	t.Parallel()
	for _, kind := range places {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			play(t, open(t, kind))
		})
	}
}

// An issue is filed once, with a link to the thread and without secrets. Pressed twice, the second order is
// refused, and what was filed is not filed again.
func TestAnIssueIsFiledOnce(t *testing.T) {
	everywhere(t, func(t *testing.T, d *desk) {
		require.NoError(t, d.order(t, 1))
		require.Error(t, d.order(t, 1), "the same press, delivered again")
		require.ErrorIs(t, d.order(t, 2), store.ErrStale)
		require.False(t, d.look(t))
		require.False(t, d.look(t))
		require.ErrorIs(t, d.order(t, 3), store.ErrStale)
		require.Len(t, d.filed(), 1)
		require.Contains(t, d.filed()[0], "A cent is lost\n")
		require.NotContains(t, d.filed()[0], secret)
		require.Contains(t, d.filed()[0],
			"From a thread in Slack, as ann asked: https://acme.slack.com/archives/C1/p1")
		said := d.said(t)
		require.Contains(t, said[len(said)-1], "Filed as [")
		require.Contains(t, said[len(said)-1], "“A cent is lost”")
	})
}

// If an answer is lost, the issue is looked up by its mark. The control files a second one, but at Linear,
// which knows the mark itself.
func TestALostAnswerIsLookedUp(t *testing.T) {
	everywhere(t, func(t *testing.T, d *desk) {
		require.NoError(t, d.order(t, 1))
		d.lose()
		require.True(t, d.look(t))
		if len(d.Trackers) > 0 && d.Trackers[0].Kind == tracker.Jira {
			require.True(t, d.look(t), "it would not be found yet")
		}
		d.settled(t)
		require.False(t, d.look(t))
		require.Len(t, d.filed(), 1)
		said := d.said(t)
		require.Contains(t, said[len(said)-1], "Filed as [")
	})
	for _, kind := range places {
		d := open(t, kind)
		d.skipLookup = true
		require.NoError(t, d.order(t, 1))
		d.lose()
		d.look(t)
		d.look(t)
		want := 2
		if kind == tracker.Linear {
			want = 1
		}
		require.Len(t, d.filed(), want, "the control at %s", kind)
	}
}

// A process that dies before the request has filed nothing, so the next one files the issue.
func TestATryThatSentNothingIsRepeated(t *testing.T) {
	everywhere(t, func(t *testing.T, d *desk) {
		require.NoError(t, d.order(t, 1))
		rows, err := d.Rows.All(t.Context(), d.session)
		require.NoError(t, err)
		still, err := d.Rows.Trying(t.Context(), rows[0])
		require.NoError(t, err)
		require.True(t, still)
		d.settled(t)
		require.False(t, d.look(t))
		require.Len(t, d.filed(), 1)
	})
}

// A stop takes back what was not sent yet: it can be said again. What is being sent stays.
func TestAStopTakesAnOrderBack(t *testing.T) {
	t.Parallel()
	d := open(t, host.GitHub)
	require.NoError(t, d.order(t, 1))
	require.NoError(t, d.turn.Record(t.Context(), ticket.Stop{}))
	require.False(t, d.look(t))
	require.Empty(t, d.filed())
	require.NoError(t, d.order(t, 2))
	d.lose()
	require.True(t, d.look(t))
	require.NoError(t, d.turn.Record(t.Context(), ticket.Stop{}))
	require.False(t, d.look(t))
	require.Len(t, d.filed(), 1)
}

// A refusal is one line with the cure, and the word can be said again. Another place than the one that the
// thread was told gets nothing.
func TestARefusalIsSaidOnce(t *testing.T) {
	t.Parallel()
	d := open(t, tracker.Jira)
	require.NoError(t, d.order(t, 1))
	wrong := d.Trackers
	d.Trackers = nil
	require.False(t, d.look(t))
	require.False(t, d.look(t))
	said := d.said(t)
	require.Contains(t, said[len(said)-1], "the configuration names another place for issues now.")
	require.Empty(t, d.filed())
	d.Trackers = wrong
	require.NoError(t, d.order(t, 2))
	require.False(t, d.look(t))
	require.Len(t, d.filed(), 1)
}

// A ticket is told once what was pushed, after the pull request was opened, which it names. Where the
// configuration does not allow it any more, nothing is told.
func TestATicketIsToldOnce(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{tracker.Jira, tracker.Linear} {
		d := open(t, kind)
		require.NoError(t, d.turn.Record(t.Context(), pullrequest.Intent{Proposal: pullrequest.Proposal{
			Repository: "shop", Branch: "bobbin/fix-1", Head: "c1", Base: "main", Title: "Fix it",
		}}))
		d.comment(t)
		d.comment(t)
		require.True(t, d.look(t), "the pull request is not open yet")
		require.Empty(t, d.comments())
		_, err := d.Rows.Store.Pool.Exec(t.Context(),
			`update pull_requests set state = 'open', number = 3, url = 'https://git.example/shop/pull/3'`)
		require.NoError(t, err)
		d.lose()
		require.True(t, d.look(t))
		d.settled(t)
		require.False(t, d.look(t))
		require.Len(t, d.comments(), 1, kind)
		require.True(t, strings.HasPrefix(d.comments()[0], "Pushed for this: Fix it\n\nThe pull request: "+
			"https://git.example/shop/pull/3\n\n"+
			"From a thread in Slack: https://acme.slack.com/archives/C1/p1"))
		said := d.said(t)
		require.Contains(t, said[len(said)-1], "Told `SHOP-1` (")
	}
	d := open(t, tracker.Jira)
	d.skipLookup = true
	d.comment(t)
	d.lose()
	d.look(t)
	d.look(t)
	require.Len(t, d.comments(), 2, "the control")

	d = open(t, tracker.Jira)
	d.comment(t)
	d.Trackers[0].Comments = false
	require.False(t, d.look(t))
	require.Empty(t, d.comments())
}

// The schema refuses an issue without a permission to file, or by one of another kind.
func TestTheSchemaWantsAPermission(t *testing.T) {
	t.Parallel()
	d := open(t, host.GitHub)
	order := ticket.Order{Key: ticket.OfRevision(1), Repository: "shop", Place: d.place, Body: "b"}
	require.Error(t, d.turn.Record(t.Context(), order))
	require.Error(t, d.turn.Record(t.Context(),
		consent.Permission{Permission: *storetest.Permission("k1", workflow.PermitReport, 1)}, order))
	require.NoError(t, d.turn.Record(t.Context(), ticket.Offer(order)))
	_, err := d.Rows.Store.Pool.Exec(t.Context(), `update tickets set state = 'intended'`)
	require.Error(t, err)
	require.Empty(t, d.filed())
}
