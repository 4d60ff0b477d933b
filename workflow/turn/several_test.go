package turn

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot/slacktest"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
)

// openTwo opens an office in which the repository "two" needs two approvers, and a thread about it.
func openTwo(t *testing.T, a workflow.Approvers) (*office, *thread) {
	t.Helper()
	o := openOffice(t)
	o.Repositories = append(o.Repositories, repository.Repository{
		Remote: remote.Remote{Name: "two"}, Approvers: a,
	})
	return o, o.threadOf(t, "1.0")
}

func (o *office) threadOf(t *testing.T, ts string) *thread {
	t.Helper()
	r := &Runner{Store: o.Store, Slack: o.Slack, Log: o.Log, Repositories: o.Repositories, Agents: o.Agents}
	th, err := r.begin(t.Context(), workflow.Thread{Team: "T1", Channel: o.channel, TS: ts}, o.asker, "two",
		"what does Key do?")
	require.NoError(t, err)
	th.people = o.people
	return th
}

// given returns how much was given in the thread: approvals, allowances, put back code and backports.
func (th *thread) given(ctx context.Context) (n int, err error) {
	err = th.Store.Pool.QueryRow(ctx, `select (select count(*) from approvals where session_id = $1)
		+ (select count(*) from allowances where session_id = $1 and user_id <> '')
		+ (select count(*) from removals where session_id = $1 and user_id <> '')
		+ (select count(*) from backports where session_id = $1)`, th.Session().ID).Scan(&n)
	return n, err
}

// In each way to a yes, one person's word gives nothing where two have to say so, nor does a second one of
// the same person, in words or by a press, nor a guest's. Another member's does.
func TestTwoPeopleSayYes(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	o.Repositories = append(o.Repositories, repository.Repository{
		Remote: remote.Remote{Name: "two"}, Approvers: workflow.Approvers{Needed: 2},
	})
	played := 0
	for i, w := range waysToAYes {
		one := w.what == workflow.PermitResume || w.what == workflow.PermitAdopt ||
			w.what == workflow.PermitLimit
		if one || w.name == "a push" || w.name == "adopting, restated" {
			continue // one person is enough; or bea, who approved, is the other one
		}
		played++
		ctx := t.Context()
		th := o.threadOf(t, fmt.Sprintf("%d.0", i+1))
		require.NoError(t, w.enter(ctx, th), w.name)
		require.NoError(t, th.posted(ctx, th.tick()))
		before, err := th.given(ctx)
		require.NoError(t, err)
		yes := func(who string) {
			t.Helper()
			switch {
			case w.then != nil && who == "ann":
				in := workflow.IncomingEvent{
					Kind: workflow.MessageMention, TS: th.tick(), User: th.userID(who), Text: w.says,
				}
				require.NoError(t, th.judges(ctx, in), w.name)
				require.NoError(t, w.then(th, ctx), w.name)
				require.NoError(t, th.posted(ctx, th.tick()))
			case w.then != nil:
				require.NoError(t, th.press(ctx, th.userID(who), workflow.ButtonFix), w.name)
			case w.says != "" && (who != "cem" || w.press == ""): // a "yes" below others is asked about
				require.NoError(t, th.says(ctx, who, w.says), w.name)
			default:
				require.NoError(t, th.press(ctx, th.userID(who), w.press), w.name)
			}
		}
		now := func() int {
			n, err := th.given(ctx)
			require.NoError(t, err)
			return n - before
		}
		yes("ann")
		require.Zero(t, now(), "%s: the first word", w.name)
		if w.then == nil {
			yes("ann")
			if w.press != "" {
				require.NoError(t, th.press(ctx, o.asker, w.press), w.name)
			}
			require.Zero(t, now(), "%s: the same person once more", w.name)
		}
		yes("gus")
		require.Zero(t, now(), "%s: a guest", w.name)
		yes("cem")
		require.Positive(t, now(), "%s: another member", w.name)
	}
	require.Equal(t, 12, played)
	a, err := consent.VerifyAudit(t.Context(), o.Store.DB, "")
	require.NoError(t, err)
	require.Nil(t, a.Flaw)
}

// Where somebody other than the requester has to approve, the requester's asking is no word, and two others
// have to.
func TestTwoOthersThanTheRequester(t *testing.T) {
	t.Parallel()
	_, th := openTwo(t, workflow.Approvers{Needed: 2, OtherThanRequester: true})
	ctx := t.Context()
	_, err := th.show(ctx, workflow.ReportRootCause, workflow.EventReport)
	require.NoError(t, err)
	require.NoError(t, th.posted(ctx, th.tick()))
	for _, x := range []struct {
		who string
		n   int
	}{{"ann", 0}, {"bea", 0}, {"ann", 0}, {"cem", 1}} {
		require.NoError(t, th.says(ctx, x.who, "fix it"))
		n, err := th.given(ctx)
		require.NoError(t, err)
		require.Equal(t, x.n, n, x.who)
	}
}

// The work has to be within what every one of them limits it to.
func TestSeveralLimitsHoldTogether(t *testing.T) {
	t.Parallel()
	_, th := openTwo(t, workflow.Approvers{Needed: 3})
	ctx := t.Context()
	_, err := th.show(ctx, workflow.ReportRootCause, workflow.EventReport)
	require.NoError(t, err)
	require.NoError(t, th.posted(ctx, th.tick()))
	require.NoError(t, th.says(ctx, "ann", "fix it"))
	require.NoError(t, th.says(ctx, "ann", "fix only the guard"), "the newest word of a person counts")
	require.NoError(t, th.says(ctx, "bea", "fix it"))
	require.NoError(t, th.says(ctx, "cem", "fix it, but leave the tests alone"))
	a, err := th.StandingApproval(ctx)
	require.NoError(t, err)
	require.NotNil(t, a)
	require.Equal(t, "the guard; and: leave the tests alone", a.Scope)
	require.Equal(t, []string{"ann", "bea", "cem"}, a.By)
}

// Whoever approved is looked up when the last word comes: somebody who left the channel, is a guest or is not
// named any more does not count, and neither does anybody while Slack does not tell.
func TestApproversAreLookedUpAgain(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*testing.T, *office){
		"left the channel": func(t *testing.T, o *office) {
			require.NoError(t, o.slack.Leave(o.channel, o.people["bea"]))
		},
		"became a guest": func(t *testing.T, o *office) {
			require.NoError(t, o.slack.ChangeUser(o.people["bea"],
				func(u *slacktest.User) { u.Kind = slacktest.Guest }))
		},
		"was deactivated": func(t *testing.T, o *office) {
			require.NoError(t, o.slack.ChangeUser(o.people["bea"],
				func(u *slacktest.User) { u.Deleted = true }))
		},
		"edited": func(t *testing.T, o *office) {
			kept := o.Slack.(asKept)
			for ts := range kept.edited {
				kept.edited[ts] = "not like this"
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := openOffice(t)
			kept := o.Slack.(asKept)
			kept.edited = map[string]string{}
			o.Slack = kept
			o.Repositories = append(o.Repositories, repository.Repository{
				Remote: remote.Remote{Name: "two"}, Approvers: workflow.Approvers{Needed: 2},
			})
			th := o.threadOf(t, "1.0")
			ctx := t.Context()
			_, err := th.show(ctx, workflow.ReportRootCause, workflow.EventReport)
			require.NoError(t, err)
			require.NoError(t, th.posted(ctx, th.tick()))
			require.NoError(t, th.says(ctx, "bea", "fix it"))
			words, err := th.Store.Endorsements(ctx, th.Session().ID, 1, "")
			require.NoError(t, err)
			require.Len(t, words, 1)
			kept.edited[words[0].MessageTS] = "fix it"
			change(t, o)
			require.NoError(t, th.says(ctx, "cem", "fix it"))
			n, err := th.given(ctx)
			require.NoError(t, err)
			require.Zero(t, n)
			require.NoError(t, th.says(ctx, "ann", "fix it"))
			a, err := th.StandingApproval(ctx)
			require.NoError(t, err)
			require.NotNil(t, a)
			require.Equal(t, []string{"cem", "ann"}, a.By)
			require.False(t, slices.Contains(a.By, "bea"))
		})
	}
}

// A group that the report's own files need has to be among those who approve.
func TestAReportsFilesNeedAGroup(t *testing.T) {
	t.Parallel()
	o := openOffice(t)
	o.Repositories = append(o.Repositories, repository.Repository{
		Remote: remote.Remote{Name: "two"},
		Approvers: workflow.Approvers{Needs: []workflow.Need{
			{Name: "ops", Files: "key*", From: []string{o.people["cem"]}},
		}},
	})
	th := o.threadOf(t, "1.0")
	ctx := t.Context()
	require.NoError(t, th.says(ctx, "gus", "@bobbin also add Key.Len"))
	require.NoError(t, th.says(ctx, "ann", "please do add Key.Len"))
	require.NoError(t, th.restates(ctx), "it names key.go")
	for _, x := range []struct {
		who string
		n   int
	}{{"ann", 0}, {"bea", 0}, {"cem", 1}} {
		require.NoError(t, th.says(ctx, x.who, "go ahead"))
		n, err := th.given(ctx)
		require.NoError(t, err)
		require.Equal(t, x.n, n, x.who)
	}
}

// A report that was stopped between two approvals can be taken up again. Whoever stopped it, having approved
// it, has to approve it once more.
func TestAStopBetweenTwoApprovals(t *testing.T) {
	t.Parallel()
	for stopper, enough := range map[string]string{"cem": "ann", "bea": "cem"} {
		t.Run(stopper, func(t *testing.T) {
			t.Parallel()
			_, th := openTwo(t, workflow.Approvers{Needed: 2})
			ctx := t.Context()
			_, err := th.show(ctx, workflow.ReportRootCause, workflow.EventReport)
			require.NoError(t, err)
			require.NoError(t, th.posted(ctx, th.tick()))
			require.NoError(t, th.says(ctx, "bea", "fix it"))
			require.NoError(t, th.says(ctx, stopper, "stop"))
			require.Equal(t, workflow.PhaseStopped, th.Session().Phase)
			require.NoError(t, th.says(ctx, "ann", "fix it"), "is asked whether to take it up")
			n, err := th.given(ctx)
			require.NoError(t, err)
			require.Zero(t, n)
			require.NoError(t, th.says(ctx, "ann", "fix it"))
			if enough != "ann" {
				require.Equal(t, workflow.PhaseReported, th.Session().Phase)
				n, err = th.given(ctx)
				require.NoError(t, err)
				require.Zero(t, n)
				require.NoError(t, th.says(ctx, enough, "fix it"))
			}
			n, err = th.given(ctx)
			require.NoError(t, err)
			require.Equal(t, 1, n)
			require.Equal(t, workflow.PhaseWorking, th.Session().Phase)
		})
	}
}
