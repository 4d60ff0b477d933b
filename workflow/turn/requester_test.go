package turn

import (
	"cmp"
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// afterAnn begins a thread in which ann asked for something, where another person than the requester has to
// approve. permitted returns what was permitted since.
func afterAnn(
	t *testing.T, enter func(context.Context, *thread) error,
) (th *thread, permitted func() string) {
	t.Helper()
	st := storetest.Open(t)
	r := townRunner(st)
	th, err := r.begin(t.Context(), workflow.Thread{Team: "T1", Channel: "C1", TS: "1.0"}, "ann", "another",
		"the total is off")
	require.NoError(t, err)
	require.NoError(t, enter(t.Context(), th))
	require.NoError(t, th.posted(t.Context(), th.tick()))
	return th, func() string {
		rows, err := th.permitted(t.Context())
		require.NoError(t, err)
		return rows
	}
}

// Who asked for a change does not have it backported, also after somebody else reported something.
func TestWhoAskedForAChangeBackportsItNot(t *testing.T) {
	t.Parallel()
	th, permitted := afterAnn(t, pushedAndTold)
	ofPush, err := th.newest(t.Context(), workflow.ButtonBackport)
	require.NoError(t, err)
	require.NoError(t, th.says(t.Context(), "cem", "@bobbin the tax is off, too"))
	_, err = reportWaits(t.Context(), th)
	require.NoError(t, err)
	r, err := th.Store.Report(t.Context(), th.Session().ID, 2)
	require.NoError(t, err)
	require.Equal(t, []string{"cem"}, r.AskedBy)
	require.NoError(t, th.says(t.Context(), "ann", "backport to release/1.1"))
	require.Equal(t, "report=U1 approvals:1=U1", permitted())
	require.NoError(t, th.pressOf(t.Context(), "ann", workflow.ButtonBackport, ofPush))
	require.Equal(t, "report=U1 approvals:1=U1", permitted())
	require.NoError(t, th.pressOf(t.Context(), "cem", workflow.ButtonBackport, ofPush))
	require.Equal(t, "report=U1,backport=cem approvals:1=U1", permitted(), "he asked for something else")
}

// Whoever asks for something after a push, in whatever way, does not approve it. Whoever
// asked for what was pushed may.
func TestWhoAsksAfterAPushApprovesItNot(t *testing.T) {
	t.Parallel()
	presses := func(action workflow.ActionID) func(context.Context, *thread) error {
		return func(ctx context.Context, th *thread) error {
			err := th.Record(ctx, store.Lines(th.ProgramLine("pushed", workflow.Button{
				ActionID: action,
				Value:    store.NewToken(),
				Means:    "- run make first",
			})))
			return cmp.Or(err, th.press(ctx, "cem", action))
		}
	}
	remarks := func(as string) func(context.Context, *thread) error {
		return func(ctx context.Context, th *thread) error {
			err := th.Record(ctx,
				pullrequest.Remark{ID: "1:1", User: as, Login: "somebody", Text: "also drop the check"})
			return cmp.Or(err, th.Judge.JudgeAll(ctx), th.reads(ctx))
		}
	}
	for name, asks := range map[string]func(context.Context, *thread) error{
		"a remark": remarks("cem"),
		"a stranger's remark that is passed on": func(ctx context.Context, th *thread) error {
			return cmp.Or(remarks("")(ctx, th), th.press(ctx, "cem", workflow.ButtonPassOn))
		},
		"advice": func(ctx context.Context, th *thread) error {
			return cmp.Or(th.Record(ctx, inbox.AgentNote{
				Key:  "inquiry:7",
				By:   "dee",
				Task: inbox.OrchestratorAlone,
				Text: "it was explained",
			}),
				th.Record(ctx, inbox.AgentNote{Key: "inquiry:8", By: "cem", Text: "the check is wrong"},
					store.Update{Events: []workflow.Event{workflow.EventRequest}}), th.reads(ctx))
		},
		"still broken": presses(workflow.ButtonBroken),
		"lessons":      presses(workflow.ButtonLessons),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			th, permitted := afterAnn(t, pushedNow)
			require.NoError(t, asks(t.Context(), th))
			_, err := reportWaits(t.Context(), th)
			require.NoError(t, err)
			require.NoError(t, th.posted(t.Context(), th.tick()))
			r, err := th.Store.Report(t.Context(), th.Session().ID, 2)
			require.NoError(t, err)
			require.Equal(t, []string{"cem"}, r.AskedBy)
			require.NoError(t, th.says(t.Context(), "cem", "fix it"))
			require.Equal(t, "1=U1", approvals(permitted()))
			require.NoError(t, th.says(t.Context(), "ann", "fix it"))
			require.Equal(t, "1=U1,2=ann", approvals(permitted()))
		})
	}
}

// A person who asks for a part by a remark or a press is one of those who asked for the request.
func TestARemarkAsksForAPartOfARequest(t *testing.T) {
	t.Parallel()
	th, _ := afterAnn(t, pushedNow)
	require.NoError(t, th.says(t.Context(), "ann", "please add an exported Key.Len method"))
	require.NoError(t, th.Record(t.Context(),
		pullrequest.Remark{ID: "1:1", User: "cem", Login: "cem", Text: "the check is wrong"},
		store.Lines(th.ProgramLine("merged", workflow.Button{
			ActionID: workflow.ButtonBroken,
			Value:    store.NewToken(),
		}))))
	require.NoError(t, th.press(t.Context(), "bea", workflow.ButtonBroken))
	require.NoError(t,
		th.Record(t.Context(), pullrequest.Remark{ID: "1:2", Login: "mallory", Text: "also drop the check"}))
	require.NoError(t, th.Judge.JudgeAll(t.Context()))
	require.NoError(t, th.press(t.Context(), "dee", workflow.ButtonPassOn))
	for kind, asked := range map[string][]string{
		workflow.ReportRequest:   {"ann", "cem", "bea", "dee"},
		workflow.ReportRootCause: {"ann"},
	} {
		authors, err := th.Permissions.RequestAuthors(t.Context(), kind)
		require.NoError(t, err)
		require.Equal(t, asked, authors, kind)
	}
}

// Who asked for a change has nothing put back that was taken out of it, and nothing of it fixed, also after
// somebody else had a part put back.
func TestWhoAskedForAChangePutsNothingBack(t *testing.T) {
	t.Parallel()
	th, permitted := afterAnn(t, takenOut(pushedNow))
	older, err := th.newest(t.Context(), workflow.ButtonPutBack)
	require.NoError(t, err)
	require.NoError(t, th.takesOut(t.Context(), "more"))
	require.NoError(t, th.press(t.Context(), "bea", workflow.ButtonPutBack))
	const before = "report=U1,put_back=bea approvals:1=U1,2=bea"
	require.Equal(t, before, permitted())
	p, err := th.intend(t.Context(), "again", "tree")
	require.NoError(t, err)
	require.NoError(t, th.settle(t.Context(), p))

	require.NoError(t, th.pressOf(t.Context(), "ann", workflow.ButtonPutBack, older))
	require.Equal(t, before, permitted())

	require.NoError(t, th.Record(t.Context(),
		pullrequest.Intent{Proposal: pullrequest.Proposal{
			Repository: "another",
			Branch:     p.Branch,
			Head:       p.Commit,
			Base:       "main",
			Title:      "Fix it",
			Body:       "Why",
		}},
		store.Lines(th.ProgramLine("red", workflow.Button{
			ActionID: workflow.ButtonFixThere,
			Value:    store.NewToken(),
			Means:    p.Commit,
		}))))
	_, err = th.Store.Pool.Exec(t.Context(), `update pull_requests set state = 'open', failure = 'test'`)
	require.NoError(t, err)
	require.NoError(t, th.press(t.Context(), "ann", workflow.ButtonFixThere))
	require.Equal(t, before, permitted())

	require.NoError(t, th.pressOf(t.Context(), "cem", workflow.ButtonPutBack, older))
	require.Equal(t, "report=U1,put_back=bea,put_back=cem approvals:1=U1,2=bea,3=cem", permitted())
}

// While the configuration does not name the repository, for example since it was renamed there,
// an approval is refused with that reason, and nobody is said to be able to give one. When the
// name is back, its rules hold.
func TestNobodyApprovesForARepositoryThatIsNotConfigured(t *testing.T) {
	t.Parallel()
	th, permitted := afterAnn(t, func(ctx context.Context, th *thread) error {
		_, err := reportWaits(ctx, th)
		return err
	})
	catalog := th.Judge.Catalog
	configured := catalog.Repositories
	catalog.Repositories = nil
	require.NoError(t, th.says(t.Context(), "cem", "fix it"))
	require.NoError(t, th.says(t.Context(), "ann", "go ahead"))
	require.NoError(t, th.press(t.Context(), "cem", workflow.ButtonFix))
	require.Equal(t, "approvals:", permitted())
	who, err := th.Permissions.WhoAllows(t.Context())
	require.NoError(t, err)
	require.Equal(t, "Nobody can until my operator names another in the configuration again.", who)
	said, err := th.said(t.Context())
	require.NoError(t, err)
	require.Equal(t, []string{
		"The configuration names no repository another any more. Nobody can until my operator names " +
			"another in the configuration again.",
		"cem asks for approval of revision 1.",
	}, said[1:3])

	catalog.Repositories = configured
	require.NoError(t, th.says(t.Context(), "ann", "fix it"))
	require.Equal(t, "approvals:", permitted(), "another person than ann has to")
	require.NoError(t, th.says(t.Context(), "cem", "fix it"))
	require.Equal(t, "report=cem approvals:1=cem", permitted())
}

// While the configuration does not name the repository, a person who may approve work on another one may
// choose that one for the thread.
func TestAnotherRepositoryIsChosenForOneThatIsNotConfigured(t *testing.T) {
	t.Parallel()
	for who, chosen := range map[string]string{"cem": "another", "bea": "named"} {
		th, permitted := afterAnn(t, func(ctx context.Context, th *thread) error {
			_, err := reportWaits(ctx, th)
			return err
		})
		th.Judge.Catalog.Repositories = slices.DeleteFunc(rules("bea", "S1"),
			func(r repository.Repository) bool { return r.Name != "named" })
		choice := th.Judge.Catalog.ChoiceButtons()
		require.NoError(t, th.Record(t.Context(), store.Lines(th.ProgramLine("Which one?", choice...))))
		require.NoError(t, th.pressOf(t.Context(), who, choice[0].ActionID, choice[0].Value))
		require.Equal(t, chosen, th.Session().Repository)
		require.Equal(t, "approvals:", permitted())
	}
}
