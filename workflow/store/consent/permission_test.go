package consent_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/outbox"
	"github.com/bobbinhq/bobbin/workflow/store/storetest"
)

// A forgery is a permission of a person who did not give it.
type forgery struct {
	change func(*workflow.Permission, *workflow.Approval)
	sql    string // SQL that runs before
	want   string // the guard that refuses it
	off    string // SQL that removes the guard
}

var forgeries = map[string]forgery{
	"another person": {
		change: func(p *workflow.Permission, a *workflow.Approval) { p.User, a.User = "U2", "U2" },
		want:   "did not write message",
		off:    `alter table permissions disable trigger permissions_have_authors`,
	},
	// As it once was: the first person to write since the push, with the thread's first message.
	"the first writer since a push": {
		sql: `insert into inbox (session_id, event_id, kind, message_ts, user_id, for_agents) select id,
			'q', 'reply', '5.0', 'U2', true from sessions`,
		change: func(p *workflow.Permission, a *workflow.Approval) { p.User, a.User = "U2", "U2" },
		want:   "did not write message",
		off:    `alter table permissions disable trigger permissions_have_authors`,
	},
	"another person than the permission's": {
		change: func(_ *workflow.Permission, a *workflow.Approval) { a.User = "U2" },
		want:   "approvals_by_permission",
		off:    `alter table approvals drop constraint approvals_by_permission`,
	},
	"another message than the permission's": {
		change: func(_ *workflow.Permission, a *workflow.Approval) { a.MessageTS = "9.0" },
		want:   "approvals_by_permission",
		off:    `alter table approvals drop constraint approvals_by_permission`,
	},
	"another revision than the permission's": {
		change: func(p *workflow.Permission, _ *workflow.Approval) { p.Revision = 1 },
		want:   "approvals_by_permission",
		off:    `alter table approvals drop constraint approvals_by_permission`,
	},
	"a message that there is not": {
		change: func(p *workflow.Permission, _ *workflow.Approval) { p.Message = 99 },
		want:   "did not write message",
		off:    `alter table permissions disable trigger permissions_have_authors`,
	},
	"another ts than the message's": {
		change: func(p *workflow.Permission, a *workflow.Approval) {
			p.MessageTS, a.MessageTS = "9.0", "9.0"
		},
		want: "did not write message",
		off:  `alter table permissions disable trigger permissions_have_authors`,
	},
	"a message of another thread": {
		sql: `insert into sessions (id, team, channel, thread_ts)
			values ('other', 'T', 'C', 'o'); update inbox set session_id = 'other'`,
		change: func(*workflow.Permission, *workflow.Approval) {},
		want:   "did not write message",
		off:    `alter table permissions disable trigger permissions_have_authors`,
	},
	"an edit": {
		sql:    `update inbox set kind = 'edit'`,
		change: func(*workflow.Permission, *workflow.Approval) {},
		want:   "did not write message",
		off:    `alter table permissions disable trigger permissions_have_authors`,
	},
	"somebody's message that was sent on": {
		sql:    `update inbox set kind = 'sent'`,
		change: func(*workflow.Permission, *workflow.Approval) {},
		want:   "did not write message",
		off:    `alter table permissions disable trigger permissions_have_authors`,
	},
	"what the program says": {
		sql:    `update inbox set kind = 'told'`,
		change: func(*workflow.Permission, *workflow.Approval) {},
		want:   "did not write message",
		off:    `alter table permissions disable trigger permissions_have_authors`,
	},
	"a revision that was never shown": {
		sql: `update sessions set revision = 3; insert into reports (session_id, revision, kind, body,
			text, hash, base_commit) select session_id, 3, kind, body, text, hash, base_commit from reports
			where revision = 2`,
		change: func(p *workflow.Permission, a *workflow.Approval) { p.Revision, a.Revision = 4, 3 },
		want:   "permissions_session_id_revision_fkey",
		off: `alter table permissions drop constraint permissions_session_id_revision_fkey; alter table
			approvals drop constraint approvals_by_permission`,
	},
	"no permission": {
		change: func(p *workflow.Permission, _ *workflow.Approval) { p.ID = "" },
		want:   "approvals_have_permissions",
		off:    `alter table approvals drop constraint approvals_have_permissions`,
	},
}

// The schema refuses a permission of anybody but the author of the message
// that it names, whichever code writes it. Without its guards it is accepted.
func TestAPermissionIsItsAuthors(t *testing.T) {
	t.Parallel()
	for name, c := range forgeries {
		for _, guarded := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, guarded %v", name, guarded), func(t *testing.T) {
				t.Parallel()
				s := storetest.Open(t)
				turn := storetest.BeginTurn(t, s)
				storetest.RecordReport(t, turn, 1, "first")
				two := storetest.RecordReport(t, turn, 2, "second")
				parts := storetest.Approval(two, "a")
				permission := parts[1].(consent.Permission)
				approves := parts[2].(consent.Approval)
				c.change(&permission.Permission, (*workflow.Approval)(&approves))
				parts[1] = permission
				parts[2] = approves
				if permission.ID == "" {
					parts = slices.Delete(parts, 1, 2)
				}
				for _, sql := range []string{c.sql, c.off} {
					if sql == c.off && guarded {
						continue
					}
					_, err := s.Pool.Exec(t.Context(), sql)
					require.NoError(t, err)
				}
				if approves.Revision == 3 {
					_, err := s.Begin(t.Context(), turn.Session().ID, store.NoSettling)
					require.NoError(t, err)
					turn, err = s.Begin(t.Context(), turn.Session().ID, store.NoSettling)
					require.NoError(t, err)
				}
				err := turn.Record(t.Context(), parts...)
				if guarded {
					require.ErrorContains(t, err, c.want)
					require.Zero(t, storetest.CountRows(t, s, `select count(*) from approvals`)+
						storetest.CountRows(t, s, `select count(*) from permissions`))
					return
				}
				require.NoError(t, err, "without the guard it goes through")
				require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from approvals`))
			})
		}
	}
}

// A report of another repository or branch than the session is about now cannot be approved, even if the
// commit is the same.
func TestAVoidedReportIsNotApproved(t *testing.T) {
	t.Parallel()
	for _, voided := range []int{0, 1} {
		s := storetest.Open(t)
		turn := storetest.BeginTurn(t, s)
		report := storetest.RecordReport(t, turn, 1, "first")
		require.NoError(t, turn.Record(t.Context(), store.Update{
			Change: func(s *workflow.Session) { s.Voided = voided },
		}))
		err := turn.Record(t.Context(), storetest.Approval(report, "a")...)
		if voided == 0 {
			require.NoError(t, err, "control: it is approved if nothing else was chosen")
			continue
		}
		require.ErrorIs(t, err, store.ErrStale)
		require.Zero(t, storetest.CountRows(t, s, `select count(*) from approvals`))
	}
}

// One message gives one permission of a kind, once.
func TestAMessagePermitsOnce(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	one := storetest.RecordReport(t, turn, 1, "first")
	require.NoError(t, turn.Record(t.Context(), storetest.Approval(one, "a")...))
	two := storetest.RecordReport(t, turn, 2, "second")
	again := storetest.Approval(two, "b")
	again[0] = store.Update{Change: again[0].(store.Update).Change}
	require.ErrorIs(t, turn.Record(t.Context(), again...), store.ErrStale)
	require.Equal(t, 1, storetest.CountRows(t, s, `select count(*) from approvals`))
}

// A push is refused while the session is stopped, until a person
// permits that the work goes on. Nothing else lifts the stop.
func TestNothingStoppedIsPushed(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	turn := storetest.BeginTurn(t, s)
	require.NoError(t,
		turn.Record(t.Context(), storetest.Approval(storetest.RecordReport(t, turn, 1, "first"), "a")...))
	push := func() error {
		return turn.Record(t.Context(), consent.Push{
			Commit:     "abc",
			Tree:       "t",
			BaseCommit: "c0ffee",
			Branch:     "bobbin/x",
			Approval:   "a",
			State:      workflow.PushIntended,
		})
	}
	require.NoError(t, turn.Record(t.Context(), store.Update{Events: []workflow.Event{workflow.EventStop}}))
	require.Equal(t, "0", turn.Session().Halted)
	require.ErrorIs(t, push(), consent.ErrNotApproved)
	require.NoError(t, turn.Record(t.Context(), store.Update{
		Events: []workflow.Event{workflow.EventRequest, workflow.EventResume},
	}), "the phase alone permits nothing")
	require.ErrorIs(t, push(), consent.ErrNotApproved)
	require.NoError(t, turn.Record(t.Context(), consent.Permission{
		Permission: *storetest.Permission("adopts", workflow.PermitAdopt, 1),
	}))
	require.ErrorIs(t, push(), consent.ErrNotApproved, "nor does another permission")
	require.NoError(t, turn.Record(t.Context(), consent.Permission{
		Permission: *storetest.Permission("resumes", workflow.PermitResume, 1),
	}))
	require.NoError(t, push())
}

// Approvals from before there were permissions count only if the person wrote their message.
func TestApprovalsFromBefore(t *testing.T) {
	t.Parallel()
	s := storetest.OpenAt(t, 14)
	cases := map[string]struct {
		ts, user string // of the approval
		more     string // kind of a message from another person
		counts   bool
	}{
		"said":                       {"2.0", "U2", "", true},
		"of somebody else's message": {"2.0", "U1", "", false},
		"of no message":              {"9.0", "U1", "", false},
		"asked":                      {"1.0", "U1", "", true},
		"asked, and others wrote":    {"1.0", "U1", "reply", false},
		"asked, and others edited":   {"1.0", "U1", "edit", false},
	}
	for name, c := range cases {
		for _, sql := range []string{
			`insert into sessions (id, team, channel, thread_ts, revision, base_commit, branch, phase)
				values ($1, 'T', $1, '1.0', 1, 'c', 'bobbin/x', 'working')`,
			`insert into reports (session_id, revision, kind, body, text, hash, base_commit)
				values ($1, 1, 'request', '{}', 'r', 'h', 'c')`,
			`insert into inbox (session_id, event_id, kind, message_ts, user_id, for_agents)
				values ($1, $1 || 'a', 'mention', '1.0', 'U1', true), ($1, $1 || 'b', 'reply', '2.0', 'U2',
				false)`,
		} {
			_, err := s.Pool.Exec(t.Context(), sql, name)
			require.NoError(t, err, sql)
		}
		if c.more != "" {
			_, err := s.Pool.Exec(t.Context(),
				`insert into inbox (session_id, event_id, kind, message_ts, user_id, for_agents)
					values ($1, $1 || 'c', $2, '3.0', 'U9', true)`,
				name, c.more)
			require.NoError(t, err)
		}
		_, err := s.Pool.Exec(t.Context(),
			`insert into approvals (id, session_id, revision, report_hash, base_commit, user_id, message_ts)
				values ($1, $1, 1, 'h', 'c', $2, $3)`,
			name, c.user, c.ts)
		require.NoError(t, err)
	}
	require.NoError(t, s.Migrate(t.Context()))
	for name, c := range cases {
		turn, err := s.Begin(t.Context(), name, store.NoSettling)
		require.NoError(t, err)
		err = turn.Record(t.Context(), consent.Push{
			Commit:     "abc",
			Tree:       "t",
			BaseCommit: "c",
			Branch:     "bobbin/x",
			Approval:   name,
			State:      workflow.PushIntended,
		})
		if c.counts {
			require.NoError(t, err, name)
		} else {
			require.ErrorIs(t, err, consent.ErrNotApproved, name)
		}
	}
	_, err := s.Pool.Exec(t.Context(),
		`insert into approvals (id, session_id, revision, report_hash, base_commit, user_id, message_ts,
			inherited) values ('new', 'said', 2, 'h', 'c', 'U1', '1.0', true)`)
	require.ErrorContains(t, err, "approvals_have_permissions", "none is inherited later")
}

// A held message and its files reach no agent until it is passed
// on. Its button stays until then, whatever else is answered.
func TestHeldWordsWait(t *testing.T) {
	t.Parallel()
	s := storetest.Open(t)
	ctx := t.Context()
	turn := storetest.BeginTurn(t, s)
	in := storetest.Reply("Ev2", "2.0", "see the log")
	in.Files = []workflow.Attachment{{Message: "2.0", File: "F1", Name: "notes.log"}}
	require.NoError(t, storetest.Inbox(s).Receive(ctx, in))
	id := int64(storetest.CountRows(t, s, `select max(id) from inbox`))
	offer := workflow.Line{
		Agent: "orchestrator",
		Text:  "this waits",
		Buttons: []workflow.Button{{
			ActionID: workflow.ButtonPassOn, Label: "Pass it on", Value: "opaque", Means: fmt.Sprint(id),
		}},
	}
	require.NoError(t, turn.Record(ctx, inbox.Handled{ID: id, Held: true}, store.Lines{offer}))
	p, err := outbox.New(s.DB).Next(ctx, turn.Session().ID)
	require.NoError(t, err)
	storetest.MarkPosted(t, s, p.Key, "7.7")

	held, err := turn.Inbox().Held(ctx)
	require.NoError(t, err)
	require.Len(t, held, 1)
	files, err := s.Attachments(ctx, turn.Session().ID)
	require.NoError(t, err)
	require.Empty(t, files)
	file, err := s.Attachment(ctx, turn.Session().ID, 1)
	require.NoError(t, err)
	require.Nil(t, file)
	unseen, err := turn.Inbox().Unseen(ctx, 0)
	require.NoError(t, err)
	require.Empty(t, unseen)

	opens := true
	require.NoError(t, turn.Record(ctx, inbox.Handled{ID: 1, ForAgents: true}, store.Update{Open: &opens}))
	p, err = outbox.New(s.DB).Next(ctx, turn.Session().ID)
	require.NoError(t, err)
	require.Nil(t, p, "what is answered is something else")

	adopts := storetest.Permission("p", workflow.PermitAdopt, 0)
	adopts.RestsOn = []int64{id}
	require.NoError(t, turn.Record(ctx, inbox.Passed{id}, consent.Permission{Permission: *adopts}))
	held, err = turn.Inbox().Held(ctx)
	require.NoError(t, err)
	require.Empty(t, held)
	files, err = s.Attachments(ctx, turn.Session().ID)
	require.NoError(t, err)
	require.Len(t, files, 1)
	adopted, err := turn.Inbox().Adopted(ctx, 1)
	require.NoError(t, err)
	require.Equal(t, []string{"2.0"}, adopted)
}
