package pullrequests

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/repo/postgres/postgrestest"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

func TestMain(m *testing.M) { os.Exit(postgrestest.Main(m)) }

const branch = "bobbin/fix-1"

// A desk is a Follower, a fake host, and a session whose branch was pushed.
type desk struct {
	*Follower
	host    *hosttest.Server
	turn    *store.Turn
	session string
}

func open(t *testing.T, token string) *desk { return openAt(t, host.GitHub, token) }

func openAt(t *testing.T, kind, token string) *desk {
	t.Helper()
	d := openWith(t, hosttest.Config{Kind: kind}, token)
	d.push(t, "c1")
	return d
}

// openWith opens a desk with such a host, and no pushed branch.
func openWith(t *testing.T, cfg hosttest.Config, token string) *desk {
	t.Helper()
	kind := cfg.Kind
	cfg.Repository = "acme/shop"
	cfg.Token = "tok_of_the_shop"
	cfg.Reader = "tok_that_reads"
	cfg.PageSize = 5
	s := storetest.Open(t)
	d := &desk{turn: storetest.BeginTurn(t, s), host: hosttest.Listen(cfg)}
	t.Cleanup(d.host.Close)
	d.session = d.turn.Session().ID
	web := d.host.URL + "/acme/shop"
	d.Follower = &Follower{
		Rows: pullrequest.Register{Store: s}, Agent: "orchestrator", Log: storetest.Silent,
		Repositories: []repository.Repository{
			{Remote: remote.Remote{Name: "shop"}, Pulls: repository.PullRequests{
				Kind: kind, Draft: true, Web: web, People: map[string]string{"ann-at-work": "U1"},
				Host: d.client(kind, web, token),
			}},
		},
	}
	return d
}

func (d *desk) client(kind, web, token string) host.Host {
	sign := func(context.Context, bool) (remote.Credential, error) {
		return remote.Credential{Password: remote.Secret(token)}, nil
	}
	switch kind {
	case host.GitLab:
		return host.NewGitLab(host.GitLabConfig{API: d.host.API, Web: web, Path: "acme/shop", Token: sign})
	case host.Gitea:
		return host.NewGitea(host.GiteaConfig{
			API:   d.host.API,
			Web:   web,
			Owner: "acme",
			Name:  "shop",
			Token: sign,
		})
	}
	return host.NewGitHub(host.GitHubConfig{
		API:   d.host.API,
		Web:   web,
		Owner: "acme",
		Name:  "shop",
		Token: sign,
	})
}

func (d *desk) push(t *testing.T, commit string) {
	t.Helper()
	require.NoError(t, d.turn.Record(t.Context(), pullrequest.Intent{
		Repository: "shop",
		Branch:     branch,
		Head:       commit,
		Base:       "main",
		Title:      "Fix it",
		Body:       "Why",
	}))
}

func (d *desk) look(t *testing.T) time.Duration {
	t.Helper()
	again, err := d.Look(t.Context(), d.session)
	require.NoError(t, err)
	return again
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

// If the host's answer was lost, the pull request is looked up, even if people have closed it
// meanwhile. The control opens a second one.
func TestALostAnswerIsLookedUp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		kind  string
		blind bool
	}{
		"GitHub":          {host.GitHub, false},
		"GitLab":          {host.GitLab, false},
		"Gitea":           {host.Gitea, false},
		"control: GitHub": {host.GitHub, true},
		"control: GitLab": {host.GitLab, true},
		"control: Gitea":  {host.Gitea, true},
	} {
		d := openAt(t, c.kind, "tok_of_the_shop")
		d.skipLookup = c.blind
		d.host.Lose("POST")
		require.Positive(t, d.look(t), "it is tried again")
		require.Len(t, d.host.Pulls(), 1, name)
		require.Empty(t, d.said(t))
		d.host.SetState(1, "closed")
		d.look(t)
		require.Equal(t, c.blind, len(d.host.Pulls()) == 2, name)
		require.Len(t, d.said(t), 1, name)
		called := "Draft pull request [#"
		if c.kind == host.GitLab {
			called = "Draft merge request [!"
		}
		require.Contains(t, d.said(t)[0], called)
	}
}

// A second push of the branch goes into the pull request that is open. If that was merged, the push
// makes another one.
func TestAnotherPushOfTheBranch(t *testing.T) {
	t.Parallel()
	d := open(t, "tok_of_the_shop")
	d.look(t)
	d.push(t, "c2")
	d.look(t)
	require.Len(t, d.host.Pulls(), 1)
	d.host.SetState(1, "merged")
	require.Positive(t, d.look(t), "it is watched whether it is taken back")
	d.push(t, "c3")
	d.look(t)
	require.Len(t, d.host.Pulls(), 2)
	row, err := d.Rows.Of(t.Context(), d.session)
	require.NoError(t, err)
	require.Equal(t, int64(2), row.Number)
}

// A pull request that somebody reopens is followed again, and a push into it opens no other.
func TestAReopenedPullRequestIsFollowed(t *testing.T) {
	t.Parallel()
	for _, seen := range []bool{true, false} { // whether Bobbin looks while it is reopened, before the push
		d := open(t, "tok_of_the_shop")
		d.look(t)
		d.host.SetState(1, "closed")
		require.Positive(t, d.look(t), "it may be reopened")
		require.Contains(t, d.said(t)[1], "was closed without being merged")
		d.host.SetState(1, "open")
		if seen {
			d.look(t)
			require.Contains(t, d.said(t)[2], "was reopened")
		}
		d.push(t, "c2")
		d.look(t)
		require.Len(t, d.host.Pulls(), 1)
		require.NotContains(t, strings.Join(d.said(t), "\n"), "could be opened")
		row, err := d.Rows.Of(t.Context(), d.session)
		require.NoError(t, err)
		require.Equal(t, pullrequest.Open, row.State)
	}
	d := open(t, "tok_of_the_shop")
	d.look(t)
	d.host.SetState(1, "closed")
	d.look(t)
	d.longAgo(t, watched)
	require.Zero(t, d.look(t), "it is not watched for ever")
}

// longAgo makes the last news of the pull request older.
func (d *desk) longAgo(t *testing.T, by time.Duration) {
	t.Helper()
	_, err := d.Rows.Store.Pool.Exec(t.Context(),
		`update pull_requests set news_at = news_at - $1::interval`, by)
	require.NoError(t, err)
}

// Somebody's pull request from a fork is not Bobbin's, though its branch has the same name.
func TestAForksPullRequestIsNotOurs(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{host.GitHub, host.GitLab, host.Gitea} {
		d := openAt(t, kind, "tok_of_the_shop")
		d.look(t)
		d.host.SetState(1, "merged")
		d.look(t)
		d.host.OpenFork(branch)
		d.push(t, "c2")
		d.look(t)
		row, err := d.Rows.Of(t.Context(), d.session)
		require.NoError(t, err)
		require.Equal(t, int64(3), row.Number, kind)
	}
}

// What people write before they close or merge is taken in, too.
func TestTheLastCommentsAreTakenIn(t *testing.T) {
	t.Parallel()
	for state, told := range map[string]string{
		"closed": "was closed without being merged",
		"merged": "was merged into main",
	} {
		d := open(t, "tok_of_the_shop")
		d.look(t)
		for range maxRemarks + 1 {
			d.host.Say(hosttest.Comment{Number: 1, Login: "ann-at-work", Text: "not like this"})
		}
		d.host.SetState(1, state)
		d.look(t)
		require.Len(t, d.said(t), 1, "the last comment is not taken in yet")
		d.look(t)
		require.Contains(t, d.said(t)[1], told)
		require.Equal(t, maxRemarks+1,
			storetest.CountRows(t, d.Rows.Store, `select count(*) from inbox where kind = 'remark'`))
	}
}

// A permanent refusal is posted once, and the host is not asked again.
func TestARefusalIsSaid(t *testing.T) {
	t.Parallel()
	d := open(t, "tok_that_reads")
	require.Zero(t, d.look(t))
	asked := len(d.host.Calls())
	require.Zero(t, d.look(t))
	require.Len(t, d.host.Calls(), asked)
	require.Len(t, d.said(t), 1)
	require.Contains(t, d.said(t)[0],
		"No pull request could be opened for `bobbin/fix-1`: the token may not do this at GitHub")
}

// The Follower waits as long as the host's rate limit asks for.
func TestALimitIsWaitedFor(t *testing.T) {
	t.Parallel()
	d := open(t, "tok_of_the_shop")
	d.host.Limit(1, 90)
	require.GreaterOrEqual(t, d.look(t), 90*time.Second)
	require.Empty(t, d.said(t))
	d.look(t)
	require.Len(t, d.host.Pulls(), 1)
}

// Failed checks are posted once, with the tests that their logs name, and a green line replaces them.
func TestChecksAreTold(t *testing.T) {
	t.Parallel()
	d := open(t, "tok_of_the_shop")
	d.Secrets = redact.New("s3cret-of-the-bot")
	d.look(t)
	d.push(t, "at-"+branch)
	d.host.Report("at-"+branch, hosttest.Check{
		Name:  "test",
		State: "failure",
		Log: "2026-03-02T10:00:00.1Z ok\n2026-03-02T10:00:01.1Z \x1b[31m--- FAIL: " +
			"TestTotal (0.00s)\x1b[0m\n    total_test.go:7: got 1, s3cret-of-the-bot\n",
	})
	d.host.Report("at-"+branch, hosttest.Check{Name: "lint", State: "pending"})
	d.look(t)
	require.Len(t, d.said(t), 1, "one check is still at it")
	d.host.Report("at-"+branch, hosttest.Check{Name: "lint", State: "success"})
	d.look(t)
	d.look(t)
	said := d.said(t)
	require.Len(t, said, 2)
	require.Contains(t, said[1], "is red at the host: test. Failing: TestTotal.")
	row, err := d.Rows.Of(t.Context(), d.session)
	require.NoError(t, err)
	require.Contains(t, row.Failure, "--- FAIL: TestTotal (0.00s)\n    total_test.go:7: got 1,")
	require.NotContains(t, row.Failure, "s3cret")
	d.host.Report("at-"+branch, hosttest.Check{Name: "test", State: "success"})
	d.look(t)
	require.Contains(t, d.said(t)[2], "is green: 2 checks passed at the host.")
}

// The logs of checks are masked with the secrets of the pushed commit, too. While these
// are not known, no log is read.
func TestLogsOfChecksAreMasked(t *testing.T) {
	t.Parallel()
	for _, known := range []bool{true, false} {
		d := open(t, "tok_of_the_shop")
		d.SecretsOf = func(_ context.Context, r remote.Remote, commit string) (*redact.Finder, error) {
			require.Equal(t, "shop at-"+branch, r.Name+" "+commit)
			if !known {
				return nil, errors.New("the remote does not answer")
			}
			return redact.New("moss-covered-bucket"), nil
		}
		d.look(t)
		d.push(t, "at-"+branch)
		d.host.Report("at-"+branch, hosttest.Check{
			Name:  "test",
			State: "failure",
			Log: "connecting as shop:moss-covered-bucket\n" +
				"--- FAIL: TestTotal/moss-covered-bucket (0.00s)\n",
		})
		d.look(t)
		row, err := d.Rows.Of(t.Context(), d.session)
		require.NoError(t, err)
		require.NotContains(t, row.Failure, "bucket")
		require.Equal(t, known, strings.Contains(row.Failure, "connecting as shop:[masked: configured]"))
		said := d.said(t)[1]
		require.Contains(t, said, "is red at the host: test.")
		require.NotContains(t, said, "bucket")
		require.Equal(t, known, strings.Contains(said, "Failing: TestTotal/"))
	}
}

// A check that does not end holds the others back for an hour. Then they are told, without a claim about it.
func TestAPendingCheckIsNotGreen(t *testing.T) {
	t.Parallel()
	d := open(t, "tok_of_the_shop")
	d.look(t)
	d.push(t, "at-"+branch)
	check := func(name, state string) {
		d.host.Report("at-"+branch, hosttest.Check{Name: name, State: state})
	}
	check("test", "pending")
	check("e2e", "pending")
	d.longAgo(t, patience)
	d.look(t)
	require.Len(t, d.said(t), 1, "nothing has ended")
	check("test", "success")
	d.look(t)
	require.Contains(t, d.said(t)[1], ": 1 check passed at the host; not ended after an hour: e2e.")
	d.longAgo(t, patience)
	d.look(t)
	require.Len(t, d.said(t), 2)
	check("e2e", "success")
	d.look(t)
	require.Contains(t, d.said(t)[2], "is green: 2 checks passed at the host.")
}

// Comments come into the inbox once, with their author if the configuration maps the login to a Slack
// user. None of them stops the work.
func TestCommentsAreTakenInOnce(t *testing.T) {
	t.Parallel()
	d := open(t, "tok_of_the_shop")
	d.look(t)
	d.host.Say(hosttest.Comment{
		Number: 1,
		Login:  "Ann-at-Work",
		Text:   "this needs a test",
		Path:   "main.go",
		Line:   7,
	})
	d.host.Say(hosttest.Comment{Number: 1, Login: "ci", Bot: true, Text: "coverage fell"})
	d.host.Say(hosttest.Comment{Number: 1, Login: "mallory", Text: "stop"})
	d.look(t)
	d.look(t)
	rows, err := d.Rows.Store.Pool.Query(t.Context(),
		`select user_id, value, action_id, text from inbox where kind = 'remark' order by id`)
	require.NoError(t, err)
	got, err := pgx.CollectRows(rows, pgx.RowToStructByPos[struct{ User, Login, Place, Text string }])
	require.NoError(t, err)
	require.Equal(t, []struct {
		User, Login, Place, Text string
	}{{"U1", "Ann-at-Work", "main.go:7", "this needs a test"}, {"", "mallory", "", "stop"}}, got)
	require.Zero(t, storetest.CountRows(t, d.Rows.Store, `select count(*) from sessions where stop_asked`))
	// No permission can be made from a comment either, regardless of who wrote it.
	permit := `insert into permissions (id, session_id, what, message_id, message_ts, user_id) select 'p' ||
		id, session_id, 'request', id, message_ts, user_id from inbox where kind = $1 and user_id = 'U1'`
	_, err = d.Rows.Store.Pool.Exec(t.Context(), permit, "remark")
	require.ErrorContains(t, err, "did not write message")
	_, err = d.Rows.Store.Pool.Exec(t.Context(), permit, "mention")
	require.NoError(t, err, "the control")
}

// The comments of one review may all have the same time, and what was a draft for a while is older than what
// was heard before it. All are taken in, once, whatever their times are.
func TestCommentsAreKnownByTheirIDs(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{host.GitHub, host.GitLab, host.Gitea} {
		d := openAt(t, kind, "tok_of_the_shop")
		d.look(t)
		at := time.Date(2026, 3, 2, 10, 5, 0, 0, time.UTC)
		var want []string
		say := func(text string, at time.Time) {
			want = append(want, text)
			d.host.Say(hosttest.Comment{Number: 1, Login: "ann-at-work", Text: text, At: at})
		}
		for i := range maxRemarks + 1 {
			say(fmt.Sprintf("%02d in the same second", i), at)
		}
		for range 3 {
			d.look(t)
		}
		say("drafted before, submitted now", at.Add(-5*time.Minute))
		for range 2 {
			d.look(t)
		}
		rows, err := d.Rows.Store.Pool.Query(t.Context(),
			`select text from inbox where kind = 'remark' order by text`)
		require.NoError(t, err)
		got, err := pgx.CollectRows(rows, pgx.RowTo[string])
		require.NoError(t, err)
		require.Equal(t, want, got, kind)
	}
}

// Comments of unknown authors are limited, so that they cannot flood a thread.
func TestStrangersAreTakenInSoOften(t *testing.T) {
	t.Parallel()
	d := open(t, "tok_of_the_shop")
	d.look(t)
	for range 30 {
		d.host.Say(hosttest.Comment{Number: 1, Login: "mallory", Text: "buy here"})
	}
	d.host.Say(hosttest.Comment{Number: 1, Login: "ann-at-work", Text: "this needs a test"})
	for range 4 {
		d.look(t)
	}
	require.Equal(t, 20, storetest.CountRows(t, d.Rows.Store,
		`select count(*) from inbox where kind = 'remark' and user_id = ''`))
	require.Equal(t, 1, storetest.CountRows(t, d.Rows.Store,
		`select count(*) from inbox where kind = 'remark' and user_id = 'U1'`))
	before, err := d.Rows.Of(t.Context(), d.session)
	require.NoError(t, err)
	d.look(t)
	after, err := d.Rows.Of(t.Context(), d.session)
	require.NoError(t, err)
	require.Equal(t, before.NewsAt, after.NewsAt, "what is left out is no news")
}

// A pull request whose repository has no configured host, and one whose session was cleared, is left
// alone.
func TestNothingIsLookedAtWithoutAHost(t *testing.T) {
	t.Parallel()
	d := open(t, "tok_of_the_shop")
	d.look(t)
	hosts := d.Repositories
	d.Repositories = nil
	asked := len(d.host.Calls())
	require.Equal(t, maxPollInterval, d.look(t))
	d.Repositories = hosts
	_, err := d.Rows.Store.Pool.Exec(t.Context(), `update sessions set cleared_at = now()`)
	require.NoError(t, err)
	require.Zero(t, d.look(t))
	require.Len(t, d.host.Calls(), asked)
}

// A session that is cleared while the host is asked is told nothing: no later cleaning would delete the line,
// and the session could never be forgotten.
func TestAClearedSessionIsToldNothing(t *testing.T) {
	t.Parallel()
	for _, cleared := range []bool{true, false} {
		d := open(t, "tok_of_the_shop")
		d.look(t)
		before, err := d.Rows.Of(t.Context(), d.session)
		require.NoError(t, err)
		_, err = d.Rows.Store.Pool.Exec(t.Context(),
			`update sessions set cleared_at = case when $1 then now() end`, cleared)
		require.NoError(t, err)
		after := *before
		after.State = pullrequest.Merged
		require.NoError(t, d.Rows.Change(t.Context(), *before, after, d.line("It was merged.")))
		require.Equal(t, !cleared, slices.Contains(d.said(t), "It was merged."))
		require.Equal(t, !cleared, storetest.CountRows(t, d.Rows.Store,
			`select count(*) from pull_requests where state = 'merged'`) == 1)
	}
}

// A revert after the merge is posted. A commit that only mentions another pull request is not taken for
// one.
func TestARevertIsTold(t *testing.T) {
	t.Parallel()
	for message, told := range map[string]bool{
		"Revert \"Fix it\"\n\nThis reverts commit c1.":       false, // no hash
		"Revert \"Fix it\"\n\nThis reverts commit merged-1.": false,
		"Revert \"Fix it\" (#2)\n\nReverts acme/shop#1":      true,
		"Revert \"Fix it\"\n\nThis reverts merge request !1": true,
		"Revert \"Other\" (#3)\n\nReverts acme/shop#12":      false,
		"Take #1 further": false,
		"Revert \"Fix it\"\n\nThis reverts commit c0ffee0123456789c0ffee0123456789c0ffee01.": true,
	} {
		d := open(t, "tok_of_the_shop")
		d.push(t, "c0ffee0123456789c0ffee0123456789c0ffee01")
		d.look(t)
		d.host.SetState(1, "merged")
		d.look(t)
		d.host.Commit(message)
		d.host.Commit("go on")
		again := d.look(t)
		require.Equal(t, told, again == 0, message)
		if said := d.said(t); told {
			require.Len(t, said, 3)
			require.Contains(t, said[2], "was taken back in main by ba5e000: “Revert")
		} else {
			require.Len(t, said, 2, message)
		}
	}
}

func TestFailingTestsAreNamed(t *testing.T) {
	t.Parallel()
	for log, want := range map[string][]string{
		"--- FAIL: TestA (0.1s)\n    --- FAIL: TestA/b (0.0s)":           {"TestA", "TestA/b"},
		"FAILED tests/test_cart.py::test_total - AssertionError: 1 == 2": {"tests/test_cart.py::test_total"},
		"not ok 3 - adds up":  {"adds up"},
		"  ✕ adds up (12 ms)": {"adds up"},
		strings.Repeat("--- FAIL: Test"+strings.Repeat("A", 200)+" (0s)\n", 2): {
			"Test" + strings.Repeat("A", 115) + "…",
		},
		"test cart::total ... FAILED":                                      {"cart::total"},
		"everything is fine\nnothing FAILED here to speak of, they say ok": nil,
	} {
		require.Equal(t, want, failingTests(log), log)
	}
}

// The pull request of a backport is followed separately: nobody is asked whether it works, and its
// failed checks are not offered to be fixed by work on the session's own branch.
func TestABackportIsFollowedBeside(t *testing.T) {
	t.Parallel()
	d := open(t, "tok_of_the_shop")
	const aside = branch + "-backport-1.4"
	storetest.RecordReport(t, d.turn, 1, "The total is off.")
	require.NoError(t, d.turn.Record(t.Context(),
		consent.Permission{Permission: *storetest.Permission("k1", workflow.PermitBackport, 1)},
		backports.Order{
			Repository: "shop",
			Branch:     aside,
			Wanted:     "1.4",
			Pushed:     "c1",
			Base:       "b",
			Revision:   1,
			User:       "U1",
			UserName:   "ann",
			MessageTS:  "1.0",
		},
		pullrequest.Intent{
			Repository: "shop",
			Branch:     aside,
			Head:       "c9",
			Base:       "release/1.4",
			Title:      "Fix it (backport to release/1.4)",
			Body:       "Why",
		}))
	d.look(t)
	require.Len(t, d.host.Pulls(), 2)
	own, err := d.Rows.Of(t.Context(), d.session)
	require.NoError(t, err)
	require.Equal(t, branch, own.Branch, "what is fixed is the session's own")
	number := d.host.Pulls()[slices.IndexFunc(d.host.Pulls(),
		func(p hosttest.Pull) bool { return p.Branch == aside })].Number
	d.host.Report("at-"+aside,
		hosttest.Check{Name: "test", State: "failure", Log: "--- FAIL: TestTotal (0.00s)\n"})
	require.NoError(t, d.turn.Record(t.Context(), pullrequest.Intent{
		Repository: "shop",
		Branch:     aside,
		Head:       "at-" + aside,
		Base:       "release/1.4",
		Title:      "Fix it",
		Body:       "Why",
	}))
	d.look(t)
	said := d.said(t)
	require.Contains(t, said[len(said)-1], "is red at the host: test. Failing: TestTotal.")
	require.NotContains(t, said[len(said)-1], "Fix it")
	require.Contains(t, said[len(said)-1], "then write \"backport to release/1.4\"")
	d.host.Say(hosttest.Comment{Number: number, Login: "ann-at-work", Text: "this needs a test there"})
	d.look(t)
	d.look(t)
	heard, err := d.turn.Inbox().Unhandled(t.Context())
	require.NoError(t, err)
	require.Len(t, heard, 2, "what began the session, and this")
	on, err := d.Rows.Remarked(t.Context(), heard[1])
	require.NoError(t, err)
	require.Equal(t, aside, on.Branch)
	d.host.SetState(number, "merged")
	d.look(t)
	said = d.said(t)
	require.Contains(t, said[len(said)-1], "was merged into release/1.4.")
	require.NotContains(t, said[len(said)-1], "does it work")
}
