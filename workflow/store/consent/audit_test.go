package consent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// decided returns the turn of a session with reports,
// decisions, a permission, an approval and a push in its audit.
func decided(t *testing.T, s *store.Store) *store.Turn {
	t.Helper()
	turn := storetest.BeginTurn(t, s)
	ctx := t.Context()
	storetest.RecordReport(t, turn, 1, "first")
	two := storetest.RecordReport(t, turn, 2, "second \x00\xff")
	kept, err := s.Report(ctx, turn.Session().ID, 2)
	require.NoError(t, err)
	require.Equal(t, "second \uFFFD", kept.Text)
	two.Text = kept.Text
	parts := append(storetest.Approval(two, "approved"),
		consent.Decision{What: "approve", Reason: "an old revision", User: "U1", Revision: 1},
		consent.Decision{What: "approve", Allowed: true, User: "U1", Revision: 2})
	require.NoError(t, turn.Record(ctx, parts...),
		"what Postgres cannot hold does not keep a report from being approved")
	push := workflow.Push{
		Commit:     "abc",
		Tree:       "t",
		BaseCommit: "c0ffee",
		Branch:     "bobbin/x",
		Approval:   "approved",
		State:      workflow.PushIntended,
	}
	require.NoError(t, turn.Record(ctx, consent.Push(push)))
	push.State = workflow.PushDone
	require.NoError(t, turn.Record(ctx, consent.Push(push)))
	return turn
}

func verified(t *testing.T, s *store.Store, session string) consent.AuditResult {
	t.Helper()
	a, err := consent.VerifyAudit(t.Context(), s.DB, session)
	require.NoError(t, err)
	return a
}

func TestWhatWasDecidedHoldsTogether(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := decided(t, s)
	a := verified(t, s, "")
	require.Nil(t, a.Flaw)
	require.Equal(t, 1, a.Sessions)
	// two reports, two decisions, a permission, an endorsement, an approval, a push twice
	require.Equal(t, 9, a.Records)
	one := verified(t, s, turn.Session().ID)
	require.Nil(t, one.Flaw)
	require.NotEqual(t, a.Head, one.Head)
	before := one.Head

	require.NoError(t, turn.Record(t.Context(), store.Lines{{Agent: "deep", Text: "words are no decision"}}))
	require.Equal(t, before, verified(t, s, turn.Session().ID).Head)
	require.NoError(t, turn.Record(t.Context(), consent.Decision{What: "stop", Allowed: true}))
	require.NotEqual(t, before, verified(t, s, turn.Session().ID).Head)
	require.Zero(t, verified(t, s, "nobody").Sessions)
}

// changedByHand are statements that change what was recorded, and the flaw that Verify finds after each.
var changedByHand = []struct{ sql, flaw string }{
	{
		`update decisions set allowed = true`,
		`record 3, decision 1: the row was changed: it was recorded as {`,
	},
	{`update decisions set user_id = 'U9' where allowed`, `record 4, decision 2: the row was changed`},
	{`delete from decisions where not allowed`, `record 3, decision 1: the row was taken away`},
	{
		`update decisions set at = at - interval '1 day' where allowed`,
		`record 4, decision 2: the row was changed`,
	},
	{
		`update decisions d set allowed = not allowed, reason = '', revision = 3 - revision`,
		`record 3, decision 1: the row was changed`,
	},
	{
		`insert into decisions (session_id, what, allowed) select id, 'approve', true from sessions`,
		`decision 3: the row was never recorded`,
	},
	{`update reports set text = 'another fix' where revision = 1`, `record 1, report 1: the row was changed`},
	{`update approvals set user_name = 'bea'`, `record 7, approval approved: the row was changed`},
	{`update approvals set scope = ''`, `record 7, approval approved: the row was changed`},
	{`update endorsements set user_name = 'bea'`, `record 6, endorsement papproved: the row was changed`},
	{`update permissions set user_name = 'bea'`, `record 5, permission papproved: the row was changed`},
	{`update permissions set rests_on = '{1}'`, `record 5, permission papproved: the row was changed`},
	{`update pushes set branch = 'bobbin/y'`, `record 9, push abc: the row was changed`},
	{`update pushes set state = 'refused'`, `record 9, push abc: the row was changed`},
	{`delete from pushes`, `record 8, push abc: the row was taken away`},
	{`delete from audit where seq = 4`, `record 4: it was taken away`},
	{`delete from audit where seq = 1`, `record 1: it was taken away`},
	{`delete from audit where seq = 9`, `record 8, push abc: the row was changed`},
	{`delete from audit`, `record 1: the last records were taken away`},
	{
		`update audit set content = replace(content, '"allowed": false', '"allowed": true') where seq = 3`,
		`record 3, decision 1: it is not what was recorded`,
	},
	{`update audit set hash = 'x' where seq = 2`, `record 2, report 2: it is not what was recorded`},
	{
		`update audit set seq = case seq when 3 then 4 else 3 end + 10 where seq in (3, 4);
		update audit set seq = seq - 10 where seq > 10`,
		`record 3, decision 2: it is not what was recorded`,
	},
	{`update sessions set audit_head = 'x'`, `record 10: the last records were taken away`},
	{
		`insert into audit select session_id, 10, what, name, content, 'x' from audit where seq = 9`,
		`record 10, push abc: it is not what was recorded`,
	},
}

// Verify finds every change that was made by hand, and names the first one.
func TestWhatWasChangedByHandIsFound(t *testing.T) {
	t.Parallel()
	for _, c := range changedByHand {
		t.Run(c.sql, func(t *testing.T) {
			t.Parallel()
			s := storetest.Open(t)
			id := decided(t, s).Session().ID
			require.Nil(t, verified(t, s, "").Flaw)
			_, err := s.Pool.Exec(t.Context(), c.sql)
			require.NoError(t, err)
			flaw := verified(t, s, "").Flaw
			require.NotNil(t, flaw)
			require.Contains(t, flaw.String(), "session "+id+", "+c.flaw)
		})
	}
}

// A database from before the audit has no records. Migrate adds them from the
// current rows, and they hold like those that were written with their rows.
func TestWhatWasDecidedBeforeIsRecordedOnce(t *testing.T) {
	t.Parallel()
	s := storetest.OpenAt(t, 5)
	for i := range 3 {
		for _, sql := range []string{
			`insert into sessions (id, team, channel, thread_ts) values ('s%d', 'T', 'C', '%[1]d')`,
			`insert into reports (session_id, revision, kind, body, text, hash, base_commit)
				values ('s%d', 1, 'root_cause', '{}', 'r', 'h', 'c')`,
			`insert into approvals (id, session_id, revision, report_hash, base_commit, user_id, message_ts)
				values ('a%d', 's%[1]d', 1, 'h', 'c', 'U1', '1.1')`,
			`insert into decisions (session_id, what, allowed)
				values ('s%d', 'approve', false), ('s%[1]d', 'approve', true)`,
			`insert into pushes (session_id, commit_hash, tree, base_commit, branch, approval_id)
				values ('s%d', 'c', 't', 'c', 'bobbin/x', 'a%[1]d')`,
		} {
			_, err := s.Pool.Exec(t.Context(), fmt.Sprintf(sql, i))
			require.NoError(t, err, sql)
		}
	}
	_, err := s.Pool.Exec(t.Context(),
		`insert into sessions (id, team, channel, thread_ts) values ('empty', 'T', 'C', 'e')`)
	require.NoError(t, err)
	require.NoError(t, s.Migrate(t.Context()))

	a := verified(t, s, "")
	require.Nil(t, a.Flaw)
	require.Equal(t, 4, a.Sessions)
	require.Equal(t, 15, a.Records)
	require.Equal(t, 3, storetest.CountRows(t, s, `select count(*) from pushes where report_hash = 'h'`),
		"an old push names its report")

	turn, err := s.Begin(t.Context(), "s1", store.NoSettling)
	require.NoError(t, err)
	require.NoError(t, turn.Record(t.Context(), consent.Decision{What: "stop", Allowed: true}))
	require.Nil(t, verified(t, s, "").Flaw, "what comes now stands behind it")
	_, err = s.Pool.Exec(t.Context(), `delete from decisions where session_id = 's1' and not allowed`)
	require.NoError(t, err)
	flaw := verified(t, s, "").Flaw
	require.NotNil(t, flaw)
	require.True(t, strings.HasPrefix(flaw.String(), "session s1, "), flaw)
}
