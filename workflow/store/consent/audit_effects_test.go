package consent_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/merges"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
	"github.com/bobbinhq/bobbin/workflow/store/ticket"
)

// wentOut records a report, an issue that is offered, ordered and filed, a comment, a second issue that a
// stop takes back, a merge that is ordered and made, and a disclosure with its answer.
func wentOut(t *testing.T, s *store.Store) (session string) {
	t.Helper()
	ctx := t.Context()
	turn := storetest.BeginTurn(t, s)
	session = turn.Session().ID
	report := storetest.RecordReport(t, turn, 1, "a cent is lost")
	issue := ticket.Draft{
		Key: ticket.OfRevision(1), Repository: "shop", Place: "p", Revision: 1, Title: "t", Body: "b",
	}
	file := consent.Permission{Permission: *storetest.Permission("file", workflow.PermitFile, 1)}
	comment := ticket.Draft{
		Key: ticket.OfComment("jira", "SHOP-1"), Repository: "shop", Place: "p", Issue: "SHOP-1", Body: "b",
	}
	words := issue
	words.Key = ticket.OfWords(1)
	asked := consent.Disclosure{ID: "d", Repository: "shop", Tree: "tree", Title: "t", Shown: "may it?"}
	answer := asked
	answer.Choice = workflow.DisclosureNeutral
	answer.User = "U1"
	answer.UserName = "ann"
	answer.MessageTS = "1.0"
	push := consent.Permission{Permission: *storetest.Permission("push", workflow.PermitPush, 1)}
	merge := merges.Order{Revision: 1, Repository: "shop", Branch: "bobbin/x", Base: "main"}
	for _, parts := range [][]store.Part{
		{ticket.Offer(issue)},
		{file, ticket.Order(issue)},
		{ticket.Comment(comment)},
		{ticket.Comment(comment)}, // is there already
		storetest.Approval(report, "approved"),
		{merge},
		{merges.Merged{Revision: 1, Tree: "tree"}},
		{asked},
		{push, answer},
	} {
		require.NoError(t, turn.Record(ctx, parts...))
	}
	rows := ticket.Register{Store: s}
	row, err := rows.Of(ctx, session, issue.Key)
	require.NoError(t, err)
	still, err := rows.Trying(ctx, *row)
	require.NoError(t, err)
	require.True(t, still)
	filed := *row
	filed.State = ticket.Filed
	require.NoError(t, rows.Change(ctx, *row, filed))
	require.NoError(t, rows.Change(ctx, *row, filed), "what another worker changed already")
	require.NoError(t, turn.Record(ctx, ticket.Offer(words)))
	_, err = s.Pool.Exec(ctx, `update tickets set state = 'intended', permission_id = 'file', user_id = 'U1',
		message_ts = '1.0' where key = 'issue:words:1'`)
	require.NoError(t, err)
	require.NoError(t, turn.Record(ctx, ticket.Stop{}))
	return session
}

// What goes out of a session is in its chain, with what became of it.
func TestWhatWentOutIsAudited(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	session := wentOut(t, s)
	a := verified(t, s, session)
	require.Nil(t, a.Flaw)
	count := func(what string) int {
		return storetest.CountRows(t, s, `select count(*) from audit where what = $1`, what)
	}
	require.Equal(t, 6, count("ticket"), "offered, ordered, commented, filed, offered, taken back")
	require.Equal(t, 2, count("merge"), "ordered, made")
	require.Equal(t, 2, count("disclosure"), "asked, answered")

	for _, sql := range []string{
		`update tickets set title = '', body = ''`,
		`update disclosures set title = '', summary = '', shown = ''`,
	} {
		_, err := s.Pool.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	require.Nil(t, verified(t, s, session).Flaw, "the words are cleaned away before their records are")
}

// A change by hand of what went out is found.
func TestWhatWentOutIsNotChangedByHand(t *testing.T) {
	t.Parallel()
	const issue = "ticket issue:revision:1: "
	for sql, flaw := range map[string]string{
		`update tickets set body = 'another'`:                        "the row was changed",
		`update tickets set title = 'another' where state = 'filed'`: issue + "the row was changed",
		`update tickets set url = 'x' where state = 'filed'`:         issue + "the row was changed",
		`delete from tickets where state = 'intended'`:               "jira:SHOP-1: the row was taken away",
		`update base_merges set theirs = 'x'`:                        "merge 1: the row was changed",
		`update disclosures set choice = 'shown'`:                    "disclosure d: the row was changed",
		`update disclosures set shown = 'another'`:                   "disclosure d: the row was changed",
		`insert into tickets (session_id, key, mark, repository, place, body, state)
			select id, 'comment:x', 'm', 'shop', 'p', 'b', 'intended' from sessions`: "the row was never recorded",
	} {
		t.Run(sql, func(t *testing.T) {
			t.Parallel()
			s := storetest.Open(t)
			wentOut(t, s)
			_, err := s.Pool.Exec(t.Context(), sql)
			require.NoError(t, err)
			found := verified(t, s, "").Flaw
			require.NotNil(t, found)
			require.Contains(t, found.String(), flaw)
		})
	}
}

// What went out before it was audited is recorded once, behind what the chain has.
func TestWhatWentOutBeforeIsRecordedOnce(t *testing.T) {
	t.Parallel()
	s := storetest.OpenAt(t, 51)
	for _, sql := range []string{
		`insert into sessions (id, team, channel, thread_ts) values ('begun', 'T', 'C', 'b')`,
		`insert into decisions (session_id, what, allowed) values ('begun', 'stop', true)`,
		`insert into tickets (session_id, key, mark, repository, place, body, state)
			select id, 'comment:jira:X-1', 'm', 'shop', 'p', 'b', 'filed' from sessions`,
		`insert into tickets (session_id, key, mark, repository, place, body, state)
			select id, 'issue:words:1', 'n', 'shop', 'p', 'b', 'offered' from sessions`,
		`insert into disclosures (id, session_id, repository, tree, shown)
			select 'd', id, 'shop', 't', 'may it?' from sessions`,
		`insert into sessions (id, team, channel, thread_ts) values ('empty', 'T', 'C', 'e')`,
		`insert into disclosures (id, session_id, repository, tree, shown)
			values ('e', 'empty', 'shop', 't', 'may it?')`,
	} {
		_, err := s.Pool.Exec(t.Context(), sql)
		require.NoError(t, err)
	}
	require.NoError(t, s.Transact(t.Context(), func(tx pgx.Tx) error {
		return consent.AppendAudit(t.Context(), tx, "begun", "decision", "1")
	}))
	require.NoError(t, s.Migrate(t.Context()))
	a := verified(t, s, "")
	require.Nil(t, a.Flaw)
	require.Equal(t, 5, a.Records)
}
