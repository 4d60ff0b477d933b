package consent_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// The store refuses a push that does not match its approval, whichever code records it.
func TestOnlyWhatWasApprovedIsPushed(t *testing.T) {
	t.Parallel()
	right := workflow.Push{
		Commit:     "abc",
		Tree:       "t",
		BaseCommit: "c0ffee",
		Branch:     "bobbin/x",
		Approval:   "a",
		State:      workflow.PushIntended,
	}
	for name, c := range map[string]struct {
		push  func(*workflow.Push)
		first string // SQL that runs before the push
	}{
		"another base":     {push: func(p *workflow.Push) { p.BaseCommit = "other" }},
		"another branch":   {push: func(p *workflow.Push) { p.Branch = "main" }},
		"another approval": {push: func(p *workflow.Push) { p.Approval = "b" }},
		"no approval":      {push: func(p *workflow.Push) { p.Approval = "" }},
		"no intent": {
			push: func(p *workflow.Push) { p.State = workflow.PushDone },
		},
		"a session on another base":      {first: `update sessions set base_commit = 'moved'`},
		"the approval of another base":   {first: `update approvals set base_commit = 'moved'`},
		"the approval of another report": {first: `update approvals set report_hash = 'moved'`},
		"another report":                 {first: `update reports set hash = 'moved'`},
		"a newer revision":               {first: `update sessions set revision = 2`},
		"a word of its own is waited for": {
			first: `insert into allowances (id, session_id, approval_id, tree, names) select 'w', id, 'a',
				't', 'go.sum' from sessions`,
		},
		"the approval was used": {
			first: `insert into pushes (session_id, commit_hash, tree, base_commit, branch, approval_id,
				state) select id, 'earlier', 't', 'c0ffee', 'bobbin/x', 'a', 'pushed' from sessions`,
		},
		"the same commit under another tree": {
			first: `insert into pushes (session_id, commit_hash, tree, base_commit, branch, approval_id)
				select id, 'abc', 'u', 'c0ffee', 'bobbin/x', 'a' from sessions`,
		},
		"the same commit on another branch": {
			first: `insert into pushes (session_id, commit_hash, tree, base_commit, branch, approval_id)
				select id, 'abc', 't', 'c0ffee', 'bobbin/y', 'a' from sessions`,
		},
		"the same commit without its approval": {
			first: `insert into pushes (session_id, commit_hash, tree, base_commit, branch) select id, 'abc',
				't', 'c0ffee', 'bobbin/x' from sessions`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := storetest.Open(t)
			turn := storetest.BeginTurn(t, s)
			require.NoError(t, turn.Record(t.Context(),
				storetest.Approval(storetest.RecordReport(t, turn, 1, "first"), "a")...))
			push := right
			if c.push != nil {
				c.push(&push)
			}
			if c.first != "" {
				_, err := s.Pool.Exec(t.Context(), c.first)
				require.NoError(t, err)
			}
			before := storetest.CountRows(t, s, `select count(*) from pushes`)
			line := []workflow.Line{{Agent: "deep", Text: "Done"}}
			require.ErrorIs(t, turn.Record(t.Context(), consent.Push(push), store.Lines(line)),
				consent.ErrNotApproved)
			require.Equal(t, before, storetest.CountRows(t, s, `select count(*) from pushes`))
			require.Zero(t, storetest.CountRows(t, s, `select count(*) from lines`),
				"nor anything else of the fact")
		})
	}
	t.Run("as approved", func(t *testing.T) {
		t.Parallel()
		s := storetest.Open(t)
		turn := storetest.BeginTurn(t, s)
		require.NoError(t,
			turn.Record(t.Context(), storetest.Approval(storetest.RecordReport(t, turn, 1, "first"), "a")...))
		for _, state := range []workflow.PushState{
			workflow.PushIntended, workflow.PushRefused, workflow.PushIntended, workflow.PushDone,
		} {
			push := right
			push.State = state
			require.NoError(t, turn.Record(t.Context(), consent.Push(push)))
		}
		again := right
		again.Commit = "def"
		require.ErrorIs(t, turn.Record(t.Context(), consent.Push(again)), consent.ErrNotApproved,
			"one approval is one push")
	})
}

// SQL that does not go through the store's statements is refused by the constraint, until that is dropped.
func TestTheSchemaKnowsWhatAPushIsOf(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	r := storetest.RecordReport(t, turn, 1, "first")
	require.NoError(t, turn.Record(t.Context(), storetest.Approval(r, "a")...))
	insert := func(commit, approval, base, hash string) error {
		_, err := s.Pool.Exec(t.Context(),
			`insert into pushes (session_id, commit_hash, tree, base_commit, branch, approval_id, report_hash)
			select id, $1, 't', $3, 'bobbin/x', $2, $4 from sessions`, commit, approval, base, hash)
		return err
	}
	wrong := [][3]string{{"nobody", "c0ffee", r.Hash()}, {"a", "other", r.Hash()}, {"a", "c0ffee", "other"}}
	for i, w := range wrong {
		require.ErrorContains(t, insert(fmt.Sprint("c", i), w[0], w[1], w[2]), "pushes_as_approved")
	}
	require.NoError(t, insert("right", "a", "c0ffee", r.Hash()))
	_, err := s.Pool.Exec(t.Context(), `alter table pushes drop constraint pushes_as_approved`)
	require.NoError(t, err)
	for i, w := range wrong {
		require.NoError(t, insert(fmt.Sprint("c", i), w[0], w[1], w[2]), "without the guard it goes through")
	}
}

// giveAllowance gives the allowance that was asked for, by a message of the user.
func giveAllowance(t *testing.T, s *store.Store, turn *store.Turn, id, user string) error {
	t.Helper()
	m := workflow.Permission{
		ID:        store.NewToken(),
		What:      workflow.PermitPush,
		MessageTS: store.NewToken(),
		User:      user,
		UserName:  "bea",
	}
	err := s.Pool.QueryRow(t.Context(),
		`insert into inbox (session_id, event_id, kind, message_ts, user_id) values ($1, $2, 'reply', $2, $3)
			returning id`,
		turn.Session().ID, m.MessageTS, user).Scan(&m.Message)
	require.NoError(t, err)
	return turn.Record(t.Context(), consent.Permission{Permission: m},
		consent.Allowance{ID: id, User: user, UserName: "bea", MessageTS: m.MessageTS})
}

// An allowance is given only on the newest question, once, and only for its files.
func TestAnAllowanceIsCompareAndSet(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	ctx := t.Context()
	turn := storetest.BeginTurn(t, s)
	require.NoError(t,
		turn.Record(ctx, storetest.Approval(storetest.RecordReport(t, turn, 1, "first"), "a")...))
	ask := func(id, tree string) error {
		return turn.Record(ctx,
			consent.Allowance{ID: id, Approval: "a", Tree: tree, Names: "go.sum of " + tree})
	}
	give := func(id, user string) error {
		return giveAllowance(t, s, turn, id, user)
	}
	push := func(commit, tree string) error {
		return turn.Record(ctx, consent.Push{
			Commit:     commit,
			Tree:       tree,
			BaseCommit: "c0ffee",
			Branch:     "bobbin/x",
			Approval:   "a",
			State:      workflow.PushIntended,
		})
	}
	require.NoError(t, ask("w1", "t1"))
	require.NoError(t, ask("w2", "t2"))
	require.ErrorIs(t, give("w1", "U2"), store.ErrStale, "the files changed since")
	require.ErrorIs(t, give("forged", "U2"), store.ErrStale)
	require.ErrorIs(t, push("c2", "t2"), consent.ErrNotApproved)
	require.NoError(t, give("w2", "U2"))
	require.ErrorIs(t, give("w2", "U3"), store.ErrStale, "once")
	require.ErrorIs(t, push("c1", "t1"), consent.ErrNotApproved)
	require.NoError(t, push("c2", "t2"))

	require.NoError(t, ask("w1", "t1"), "the same files again are the newest question")
	w, err := s.Allowance(ctx, "a")
	require.NoError(t, err)
	require.Equal(t, workflow.Allowance{
		ID:         "w1",
		Approval:   "a",
		Tree:       "t1",
		Names:      "go.sum of t1",
		Objections: []int64{},
		Files:      []string{},
	}, *w)
	require.NoError(t, give("w1", "U2"))
	w, err = s.GivenAllowance(ctx, workflow.Allowance{Approval: "a", Tree: "t2"})
	require.NoError(t, err)
	require.Equal(t, "U2", w.User)
	verified, err := consent.VerifyAudit(ctx, s.DB, "")
	require.NoError(t, err)
	require.Nil(t, verified.Flaw)

	require.NoError(t, ask("w3", "t3"))
	storetest.RecordReport(t, turn, 2, "second")
	require.ErrorIs(t, give("w3", "U2"), store.ErrStale, "a newer report takes the approval away")
}

// A change of which nothing was proven is pushed only with an allowance for it, and only with those files.
// If nobody answers the question about it, the same files can still be pushed once they are proven.
func TestAnUnprovenPushNeedsItsWord(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	ctx := t.Context()
	turn := storetest.BeginTurn(t, s)
	require.NoError(t,
		turn.Record(ctx, storetest.Approval(storetest.RecordReport(t, turn, 1, "first"), "a")...))
	push := func(commit, unproven string) error {
		return turn.Record(ctx, consent.Push{
			Commit:     commit,
			Tree:       "t",
			BaseCommit: "c0ffee",
			Branch:     "bobbin/x",
			Approval:   "a",
			State:      workflow.PushIntended,
			Unproven:   unproven,
		})
	}
	const missing = "eslint is not installed"
	require.ErrorIs(t, push("c1", missing), consent.ErrNotApproved, "nobody was asked")
	require.NoError(t, turn.Record(ctx,
		consent.Allowance{ID: "unproven", Approval: "a", Tree: "t", Names: "as it is", Unproven: missing}))
	require.ErrorIs(t, push("c1", missing), consent.ErrNotApproved, "nobody answered")
	require.NoError(t, push("c2", ""), "the same files, proven since")

	require.NoError(t, giveAllowance(t, s, turn, "unproven", "U2"))
	require.NoError(t, push("c3", missing))
	pushes, err := s.Pushes(ctx, turn.Session().ID)
	require.NoError(t, err)
	require.Equal(t, missing, pushes[len(pushes)-1].Unproven)
	verified, err := consent.VerifyAudit(ctx, s.DB, "")
	require.NoError(t, err)
	require.Nil(t, verified.Flaw)
	require.NoError(t, turn.Record(ctx, consent.Allowance{
		ID:       "proven",
		Approval: "a",
		Tree:     "t",
		Names:    "go.sum",
	}), "the same files, for what they decide")
	_, err = s.Pool.Exec(ctx, `update pushes set unproven = '' where commit_hash = 'c3'`)
	require.NoError(t, err)
	verified, err = consent.VerifyAudit(ctx, s.DB, "")
	require.NoError(t, err)
	require.NotNil(t, verified.Flaw, "that it is unproven cannot be taken away")
}

// The database refuses a push while somebody's objection stands, until its person takes it back or an
// allowance for the same files names it. Without objections the same push goes through.
func TestNothingIsPushedWhileAnObjectionStands(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	ctx := t.Context()
	turn := storetest.BeginTurn(t, s)
	require.NoError(t,
		turn.Record(ctx, storetest.Approval(storetest.RecordReport(t, turn, 1, "first"), "a")...))
	push := func(commit, tree string) error {
		return turn.Record(ctx, consent.Push{
			Commit:     commit,
			Tree:       tree,
			BaseCommit: "c0ffee",
			Branch:     "bobbin/x",
			Approval:   "a",
			State:      workflow.PushIntended,
		})
	}
	object := func(message int64, user string, how workflow.ObjectionKind) int64 {
		o := workflow.Objection{
			Approval:  "a",
			Message:   message,
			MessageTS: fmt.Sprint(message, ".0"),
			User:      user,
			UserName:  "bea",
			How:       how,
			Words:     "wrong file",
		}
		require.NoError(t, turn.Record(ctx, consent.Objection(o)))
		require.NoError(t, turn.Record(ctx, consent.Objection(o)), "a second time it changes nothing")
		stand, err := s.Objections(ctx, "a", "")
		require.NoError(t, err)
		return stand[len(stand)-1].ID
	}
	require.NoError(t, push("c0", "t"), "nobody objects")

	first := object(1, "U2", workflow.ObjectionByMessage)
	require.ErrorIs(t, push("c1", "t"), consent.ErrNotApproved)
	require.NoError(t, turn.Record(ctx, consent.Withdrawal{User: "U3", Objections: []int64{first}}))
	require.ErrorIs(t, push("c1", "t"), consent.ErrNotApproved, "another person takes nothing back")
	require.NoError(t, turn.Record(ctx, consent.Withdrawal{User: "U2", Objections: []int64{first}}))
	require.NoError(t, push("c1", "t"))

	second := object(2, "U2", workflow.ObjectionByEdit)
	require.Error(t, turn.Record(ctx, consent.Allowance{ID: "w0", User: "U4"}))
	require.NoError(t, turn.Record(ctx, consent.Withdrawal{User: "U2", Objections: []int64{second}}))
	require.ErrorIs(t, push("c2", "t"), consent.ErrNotApproved, "what was edited stays void")
	wanted := workflow.Allowance{
		ID:         "w1",
		Approval:   "a",
		Tree:       "t",
		Names:      "bea objects",
		Objections: []int64{second},
	}
	require.NoError(t, turn.Record(ctx, consent.Allowance(wanted)))
	require.ErrorIs(t, push("c2", "t"), consent.ErrNotApproved, "nobody answered")
	third := object(3, "U3", workflow.ObjectionByReaction)
	require.NoError(t, giveAllowance(t, s, turn, "w1", "U4"))
	require.ErrorIs(t, push("c2", "t"), consent.ErrNotApproved,
		"the question did not name what came after it")

	both := workflow.Allowance{Approval: "a", Tree: "t", Objections: []int64{third}}
	asked, err := s.AskedAllowance(ctx, both)
	require.NoError(t, err)
	require.Nil(t, asked)
	both.ID = "w2"
	require.NoError(t, turn.Record(ctx, consent.Allowance(both)))
	require.NoError(t, giveAllowance(t, s, turn, "w2", "U4"))
	require.NoError(t, push("c2", "t"))
	require.ErrorIs(t, push("c3", "u"), consent.ErrNotApproved, "other files are another question")
	stand, err := s.Objections(ctx, "a", "u")
	require.NoError(t, err)
	require.Len(t, stand, 2)
	stand, err = s.Objections(ctx, "a", "t")
	require.NoError(t, err)
	require.Empty(t, stand)

	verified, err := consent.VerifyAudit(ctx, s.DB, "")
	require.NoError(t, err)
	require.Nil(t, verified.Flaw)
	_, err = s.Pool.Exec(ctx, `update objections set words = 'right file'`)
	require.NoError(t, err)
	verified, err = consent.VerifyAudit(ctx, s.DB, "")
	require.NoError(t, err)
	require.NotNil(t, verified.Flaw, "what was objected cannot be changed")
	_, err = s.Pool.Exec(ctx, `delete from objections`)
	require.NoError(t, err)
	require.NoError(t, push("c3", "u"), "without the objections it goes through")
}

// A question about the same files that names other reasons is another question. The newest one that is given
// replaces those before it, and a question whose only reason was taken back keeps nothing from being pushed.
func TestQuestionsAreToldApartByTheirReasons(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	ctx := t.Context()
	turn := storetest.BeginTurn(t, s)
	require.NoError(t,
		turn.Record(ctx, storetest.Approval(storetest.RecordReport(t, turn, 1, "first"), "a")...))
	push := func(commit, expectations string) error {
		return turn.Record(ctx, consent.Push{
			Commit:       commit,
			Tree:         "t",
			BaseCommit:   "c0ffee",
			Branch:       "bobbin/x",
			Approval:     "a",
			State:        workflow.PushIntended,
			Expectations: expectations,
		})
	}
	ask := func(w workflow.Allowance) {
		w.Approval, w.Tree = "a", "t"
		require.NoError(t, turn.Record(ctx, consent.Allowance(w)))
	}
	ask(workflow.Allowance{ID: "paths", Paths: "go.sum"})
	require.ErrorIs(t, push("c1", ""), consent.ErrNotApproved)
	ask(workflow.Allowance{ID: "more", Paths: "go.sum", Expectations: "900 is 899"})
	require.ErrorIs(t, push("c1", "900 is 899"), consent.ErrNotApproved)
	require.NoError(t, giveAllowance(t, s, turn, "more", "U2"))
	require.NoError(t, push("c1", "900 is 899"), "the later question named all")
	require.ErrorIs(t, push("c2", "900 is 898"), consent.ErrNotApproved)
	given, err := s.GivenAllowance(ctx,
		workflow.Allowance{Approval: "a", Tree: "t", Paths: "go.sum", Expectations: "900 is 899"})
	require.NoError(t, err)
	require.Equal(t, "more", given.ID)
	given, err = s.GivenAllowance(ctx,
		workflow.Allowance{Approval: "a", Tree: "t", Expectations: "900 is 898"})
	require.NoError(t, err)
	require.Nil(t, given)

	require.NoError(t, turn.Record(ctx, consent.Objection{
		Approval:  "a",
		Message:   7,
		MessageTS: "7.0",
		User:      "U2",
		How:       workflow.ObjectionByMessage,
		Words:     "no",
	}))
	stand, err := s.Objections(ctx, "a", "t")
	require.NoError(t, err)
	ask(workflow.Allowance{ID: "objected", Objections: []int64{stand[0].ID}})
	require.NoError(t, turn.Record(ctx, consent.Withdrawal{User: "U2", Objections: []int64{stand[0].ID}}))
	require.NoError(t, push("c3", ""))
	verified, err := consent.VerifyAudit(ctx, s.DB, "")
	require.NoError(t, err)
	require.Nil(t, verified.Flaw)
}

// Files and reasons of models may hold a NUL, which Postgres takes in no text.
func TestWhatWasTakenOutMayHoldANUL(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	require.NoError(t,
		turn.Record(t.Context(), storetest.Approval(storetest.RecordReport(t, turn, 1, "first"), "a")...))
	require.NoError(t, turn.Record(t.Context(), consent.Removal{
		Hash: "h", Approval: "a", With: "t", Without: "u",
		Hunks: []workflow.RemovedHunk{{Place: "`a.go:1`", Why: "not\x00 asked for", Text: "+a\x00b\xff\n"}},
	}))
	got, err := s.Removals(t.Context(), turn.Session().ID)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Equal(t,
		[]workflow.RemovedHunk{{Place: "`a.go:1`", Why: "not asked for", Text: "+ab\uFFFD\n"}}, got[0].Hunks)
}
