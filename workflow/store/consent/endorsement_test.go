package consent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// word returns the parts of a person's word for a subject of the first revision.
func word(t *testing.T, s *store.Store, user, subject string) []store.Part {
	t.Helper()
	m := workflow.Permission{
		ID: "p" + user + subject, What: workflow.PermitReport, Revision: 1, MessageTS: store.NewToken(),
		User: user, UserName: user,
	}
	if subject != "" {
		m.What = workflow.PermitPush
	}
	require.NoError(t, s.Pool.QueryRow(t.Context(),
		`insert into inbox (session_id, event_id, kind, message_ts, user_id, handled_at)
		select id, $1, 'reply', $1, $2, now() from sessions returning id`, m.MessageTS, user).Scan(&m.Message))
	return []store.Part{consent.Permission{Permission: m}, consent.Endorsement{
		Revision: 1, Subject: subject, User: user, UserName: user, MessageTS: m.MessageTS,
	}}
}

// lastWord returns the parts of the word that completes the approval.
func lastWord(t *testing.T, s *store.Store, r workflow.Report, user string, needed int) []store.Part {
	t.Helper()
	parts := word(t, s, user, "")
	e := parts[1].(consent.Endorsement)
	return append(parts, consent.Approval{
		ID: "a", Revision: 1, ReportHash: r.Hash(), User: user, UserName: user, MessageTS: e.MessageTS,
		Needed: needed,
	}, store.Update{
		Change: func(s *workflow.Session) { s.Branch = "bobbin/x" },
		Events: []workflow.Event{workflow.EventApprove},
	})
}

// end ends the words of a person.
func end(t *testing.T, s *store.Store, turn *store.Turn, user string, why workflow.EndorsementEnd) {
	t.Helper()
	given, err := s.Endorsements(t.Context(), turn.Session().ID, 1, "", workflow.TreeSubject("t"))
	require.NoError(t, err)
	for _, e := range given {
		if e.User == user {
			require.NoError(t, turn.Record(t.Context(),
				consent.EndorsementEnd{Endorsements: []workflow.Endorsement{e}, Why: why}))
		}
	}
}

// An approval has the words of as many distinct people as it needs. The control drops the trigger.
func TestAnApprovalHasEnoughPeople(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before func(*testing.T, *store.Store, *store.Turn)
		who    string
		holds  bool
	}{
		"one":        {who: "U2"},
		"two":        {first("U1"), "U2", true},
		"taken back": {firstThen("U1", workflow.EndorsementTakenBack), "U2", false},
		"refused":    {firstThen("U1", workflow.EndorsementRefused), "U2", false},
		"two of three": {
			func(t *testing.T, s *store.Store, turn *store.Turn) {
				first("U1")(t, s, turn)
				firstThen("U3", workflow.EndorsementEdited)(t, s, turn)
			}, "U2", true,
		},
	} {
		for _, guarded := range []bool{true, false} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := storetest.Open(t)
				turn := storetest.BeginTurn(t, s)
				r := storetest.RecordReport(t, turn, 1, "first")
				if c.before != nil {
					c.before(t, s, turn)
				}
				if !guarded {
					_, err := s.Pool.Exec(t.Context(), `drop trigger approvals_have_endorsers on approvals`)
					require.NoError(t, err)
				}
				err := turn.Record(t.Context(), lastWord(t, s, r, c.who, 2)...)
				if guarded && !c.holds {
					require.ErrorContains(t, err, "needs 2 approvers")
					return
				}
				require.NoError(t, err)
			})
		}
	}
}

func first(user string) func(*testing.T, *store.Store, *store.Turn) {
	return func(t *testing.T, s *store.Store, turn *store.Turn) {
		require.NoError(t, turn.Record(t.Context(), word(t, s, user, "")...))
	}
}

func firstThen(user string, why workflow.EndorsementEnd) func(*testing.T, *store.Store, *store.Turn) {
	return func(t *testing.T, s *store.Store, turn *store.Turn) {
		first(user)(t, s, turn)
		end(t, s, turn, user, why)
	}
}

// The second word of a person counts once, a word for another revision than that of its permission counts
// nowhere, and one that has ended counts no more, whatever is written to its row. A new revision has none.
func TestAWordCountsOnce(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	ctx := t.Context()
	turn := storetest.BeginTurn(t, s)
	r := storetest.RecordReport(t, turn, 1, "first")
	require.NoError(t, turn.Record(ctx, word(t, s, "U1", "")...))
	again := word(t, s, "U1", "")
	p := again[0].(consent.Permission)
	p.ID = "again"
	again[0] = p
	require.ErrorIs(t, turn.Record(ctx, again...), store.ErrStale)
	wrong := word(t, s, "U2", "")
	q := wrong[0].(consent.Permission)
	q.What = workflow.PermitResume
	wrong[0] = q
	require.ErrorContains(t, turn.Record(ctx, wrong...), "is none of revision 1")
	end(t, s, turn, "U1", workflow.EndorsementDeleted)
	_, err := s.Pool.Exec(ctx, `update endorsements set ended = ''`)
	require.ErrorContains(t, err, "cannot be changed")
	_, err = s.Pool.Exec(ctx, `alter table endorsements disable trigger endorsements_as_permitted;
		update endorsements set ended = ''`)
	require.NoError(t, err, "without the guard it goes through")
	require.NoError(t, turn.Record(ctx, lastWord(t, s, r, "U3", 2)...))

	storetest.RecordReport(t, turn, 2, "second")
	given, err := s.Endorsements(ctx, turn.Session().ID, 2, "")
	require.NoError(t, err)
	require.Empty(t, given)
}

// A push needs as many people's words as its approval, or the configuration by then: for the revision, or for
// exactly its files.
func TestAPushHasEnoughPeople(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	ctx := t.Context()
	turn := storetest.BeginTurn(t, s)
	r := storetest.RecordReport(t, turn, 1, "first")
	require.NoError(t, turn.Record(ctx, word(t, s, "U1", "")...))
	require.NoError(t, turn.Record(ctx, lastWord(t, s, r, "U2", 2)...))
	push := func(commit, tree string, needed int) error {
		return turn.Record(ctx, consent.Push{
			Commit: commit, Tree: tree, BaseCommit: "c0ffee", Branch: "bobbin/x", Approval: "a",
			State: workflow.PushIntended, Needed: needed,
		})
	}
	require.ErrorIs(t, push("c1", "t", 3), consent.ErrNotApproved, "three are needed by now")
	end(t, s, turn, "U1", workflow.EndorsementRefused)
	require.ErrorIs(t, push("c2", "t", 1), consent.ErrNotApproved, "the approval needs two")
	require.NoError(t, turn.Record(ctx, word(t, s, "U2", "tree t")...))
	require.ErrorIs(t, push("c3", "t", 2), consent.ErrNotApproved, "the same person again")
	require.NoError(t, turn.Record(ctx, word(t, s, "U3", "tree t")...))
	require.ErrorIs(t, push("c4", "u", 2), consent.ErrNotApproved, "other files")
	require.NoError(t, push("c5", "t", 2))
	var by []string
	require.NoError(t, s.Pool.QueryRow(ctx,
		`select approved_by from pushes where commit_hash = 'c5'`).Scan(&by))
	require.Equal(t, []string{"U2", "U3"}, by)
	a, err := consent.VerifyAudit(ctx, s.DB, "")
	require.NoError(t, err)
	require.Nil(t, a.Flaw)
}

// What is allowed beside an objection needs as many people as the approval; an objection is overruled by one.
func TestAnAllowanceHasEnoughPeople(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	ctx := t.Context()
	turn := storetest.BeginTurn(t, s)
	r := storetest.RecordReport(t, turn, 1, "first")
	require.NoError(t, turn.Record(ctx, consent.Objection{
		Revision: 1, Message: 1, MessageTS: "1.0", User: "U5", How: workflow.ObjectionByMessage, Words: "no",
	}), "an objection comes before the approval")
	require.NoError(t, turn.Record(ctx, word(t, s, "U1", "")...))
	require.NoError(t, turn.Record(ctx, lastWord(t, s, r, "U2", 2)...))
	objections, err := s.Objections(ctx, "a", "t")
	require.NoError(t, err)
	require.Len(t, objections, 1, "it is one to the approval now")
	ask := func(w workflow.Allowance) {
		w.Approval, w.Tree = "a", "t"
		require.NoError(t, turn.Record(ctx, consent.Allowance(w)))
	}
	ask(workflow.Allowance{ID: "objected", Objections: []int64{objections[0].ID}})
	require.NoError(t, giveAllowance(t, s, turn, "objected", "U2"))
	ask(workflow.Allowance{ID: "paths", Paths: "go.sum"})
	require.ErrorContains(t, giveAllowance(t, s, turn, "paths", "U2"), "needs 2 approvers")
	require.NoError(t, turn.Record(ctx, word(t, s, "U3", "tree t")...))
	require.NoError(t, giveAllowance(t, s, turn, "paths", "U2"))
}
