// Package backports stores the backports that people asked for: pushed changes that are to be brought to
// releases, or to the branch of somebody else's pull request itself. A row is the intent to make or to move a
// branch, keyed by the repository and the branch's name, and later holds the result, so asking twice makes
// one branch. It is written with the permission that asked for it. The schema requires that permission to be
// of this kind, from the same person and message, and for a revision that the thread was shown.
//
// A worker of the rows runs under the session's job of package queue. It writes what it found with
// Change, together with the line that tells the thread of it. Change writes only while the job is still
// the worker's and the row is as it was read, and it records no new commit while the session is stopped
// or paused.
package backports

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// The states of a Row.
const (
	Asked    = "asked"
	Intended = "intended" // the commit is made and is to be pushed
	Pushed   = "pushed"
	Refused  = "refused" // nothing was pushed; Reason says why
	Stopped  = "stopped" // by a stop in the thread
)

// A Row is one backport: the branch that is to be made, and what became of it.
type Row struct {
	Request
	Session    string
	Permission string
	At         time.Time // when it was asked for
	State      string
	Release    string // the branch of the release that was meant
	Onto       string // the commit of that branch
	Earlier    string // the commit that Branch had before this one; empty: the branch is new
	EarlierOf  Change // the change that Earlier brought; its zero value: not known
	Commit     string // set from Intended on
	Tree       string
	Told       Announcement
	Reason     string
}

// A Change is what lies between two commits.
type Change struct{ Base, Pushed string }

// Announcement is what the thread is told when the branch is pushed.
type Announcement struct {
	Text    string
	Vouched []int // as in workflow.Line
	Details string
	Pull    *pullrequest.Intent // nil: the repository has no host
}

// A Request is what a person asked for.
type Request struct {
	Repository string // its name in the configuration
	Branch     string // the branch to make; of a Direct one see DirectKey
	Wanted     string // the release, as the person named it
	Direct     bool   // it goes to the branch Wanted itself, which somebody else made
	Pushed     string // the commit that has the change
	Base       string // the commit that Pushed was made on
	Revision   int    // the revision that was approved for Pushed
	User       string
	UserName   string
	Credit     string // see workflow.Person
	MessageTS  string
}

// DirectKey returns the Branch of a Direct request: the branch that was pushed and the one that it goes to,
// as git writes them.
func DirectKey(pushed, wanted string) string { return pushed + ":" + wanted }

// Target returns the branch that is pushed to.
func (r Request) Target() string {
	if r.Direct {
		return r.Wanted
	}
	return r.Branch
}

// An Order is a Part: a person asks for a backport, by the Permission of the same recording.
type Order Request

func (Order) Stage() record.Stage { return record.Given }

// Mask returns o. The release stays as the person named it, since it is compared with the names of
// branches; where it is shown it is masked.
func (o Order) Mask(func(string) string) record.Part { return o }

// Write stores the row and queues the session's backport job. It fails with record.ErrStale
// if a row for the branch is under way or done, or if the work was stopped. A Direct one that is done is
// stored again, since somebody may have set the branch back.
func (o Order) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	var permission *string
	if p, ok := record.Find[consent.Permission](r); ok {
		permission = &p.ID
	}
	tag, err := tx.Exec(ctx,
		`insert into backports (repository, branch, session_id, wanted, pushed, base_commit, revision,
			permission_id, user_id, user_name, credit, message_ts, direct)
		select $2, $3, s.id, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13
		from sessions s
		where s.id = $1 and s.halted = ''
		on conflict (repository, branch) do update set
			wanted = excluded.wanted, pushed = excluded.pushed,
			base_commit = excluded.base_commit, revision = excluded.revision,
			permission_id = excluded.permission_id, user_id = excluded.user_id,
			user_name = excluded.user_name, credit = excluded.credit,
			message_ts = excluded.message_ts, asked_at = now(),
			state = 'asked', told = null, reason = '', commit_hash = '', tree = '',
			onto = case when excluded.direct then ''
				when backports.state = 'pushed' or backports.earlier <> '' then backports.onto
				else '' end,
			earlier = case when excluded.direct then ''
				when backports.state = 'pushed' then backports.commit_hash
				else backports.earlier end,
			earlier_base = case when backports.state = 'pushed' then backports.base_commit
				else backports.earlier_base end,
			earlier_pushed = case when backports.state = 'pushed' then backports.pushed
				else backports.earlier_pushed end
		where backports.session_id = excluded.session_id and (backports.state in ('refused', 'stopped')
			or backports.state = 'pushed' and (backports.pushed <> excluded.pushed or excluded.direct))`,
		r.Session, o.Repository, o.Branch, database.CleanText(o.Wanted), o.Pushed, o.Base, o.Revision,
		permission, o.User, database.CleanText(o.UserName), database.CleanText(o.Credit), o.MessageTS,
		o.Direct)
	if err != nil {
		return fmt.Errorf("backport: %w", err)
	}
	if tag.RowsAffected() == 0 {
		return record.ErrStale
	}
	if err := consent.AppendAudit(ctx, tx, r.Session, "backport", o.Branch); err != nil {
		return err
	}
	return r.Queue.InsertSide(ctx, tx, r.Session, queue.BackportWork)
}

// Stop is a Part that stops the backports of the session for which no commit is made yet.
type Stop struct{}

func (Stop) Stage() record.Stage { return record.Work }

// Mask returns s, which has no text.
func (s Stop) Mask(func(string) string) record.Part { return s }

func (Stop) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	return stopAsked(ctx, tx, r.Session, `true`)
}

// Withdraw is a Part that stops what a message asked for, or the pushes to somebody else's branch, as long as
// no commit is made.
type Withdraw struct {
	MessageTS string // empty: all Direct ones of the session
}

func (Withdraw) Stage() record.Stage { return record.Work }

// Mask returns w, whose text is a ts.
func (w Withdraw) Mask(func(string) string) record.Part { return w }

func (w Withdraw) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	if w.MessageTS == "" {
		return stopAsked(ctx, tx, r.Session, `direct`)
	}
	return stopAsked(ctx, tx, r.Session, `message_ts = $2`, w.MessageTS)
}

// stopAsked stops the asked rows of a session that meet the condition, whose arguments begin at $2.
func stopAsked(ctx context.Context, tx pgx.Tx, session, which string, args ...any) error {
	rows, err := tx.Query(ctx, `update backports set state = 'stopped'
		where session_id = $1 and state = 'asked' and `+which+` returning branch`,
		append([]any{session}, args...)...)
	if err != nil {
		return err
	}
	branches, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, b := range branches {
		if err := consent.AppendAudit(ctx, tx, session, "backport", b); err != nil {
			return err
		}
	}
	return err
}

// A Register reads and changes the rows.
type Register struct{ Store *store.Store }

// Of returns the backports of the session, oldest first.
func (g Register) Of(ctx context.Context, session string) ([]Row, error) {
	rows, err := g.Store.Pool.Query(ctx,
		`select repository, branch, wanted, pushed, base_commit, revision, user_id, user_name, credit,
			message_ts, direct,
			session_id, permission_id, asked_at, state, release, onto, earlier, earlier_base, earlier_pushed,
				commit_hash, tree, told, reason
		from backports where session_id = $1 order by asked_at, branch`, session)
	if err != nil {
		return nil, fmt.Errorf("backports of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (r Row, err error) {
		var told []byte
		err = row.Scan(&r.Repository, &r.Branch, &r.Wanted, &r.Pushed, &r.Base, &r.Revision, &r.User,
			&r.UserName, &r.Credit, &r.MessageTS, &r.Direct,
			&r.Session, &r.Permission, &r.At, &r.State, &r.Release, &r.Onto, &r.Earlier, &r.EarlierOf.Base,
			&r.EarlierOf.Pushed, &r.Commit, &r.Tree, &told, &r.Reason)
		if err == nil && told != nil {
			err = json.Unmarshal(told, &r.Told)
		}
		return r, err
	})
}

// Next returns the oldest backport of the session that is asked for or intended, or nil if there is none.
func (g Register) Next(ctx context.Context, session string) (*Row, error) {
	all, err := g.Of(ctx, session)
	for _, r := range all {
		if r.State == Asked || r.State == Intended {
			return &r, err
		}
	}
	return nil, err
}

// Change writes what became of a row, and the parts that go with it, such as the line in
// the thread. It writes nothing and returns false if the row is not as before any more, or if the session's
// work is paused or stopped and after intends a commit.
func (g Register) Change(
	ctx context.Context, before, after Row, parts ...store.Part,
) (changed bool, err error) {
	told, err := json.Marshal(after.Told)
	if err != nil {
		return false, err
	}
	err = g.Store.Transact(ctx, func(tx pgx.Tx) error {
		changed = false // of an earlier try that was not committed
		// The session's row first, like everything else that says a line in the session's thread.
		if _, err := tx.Exec(ctx, `select 1 from sessions where id = $1 for update`,
			before.Session); err != nil {
			return err
		}
		if err := queue.CheckJob(ctx, tx); err != nil {
			return err
		}
		if rests, err := queue.Rests(ctx, tx, before.Session); err != nil ||
			rests && after.State == Intended {
			return err
		}
		tag, err := tx.Exec(ctx,
			`update backports b set state = $5, release = $6, onto = $7, commit_hash = $8, tree = $9,
				told = $10, reason = $11
			from sessions s
			where b.repository = $1 and b.branch = $2 and b.permission_id = $3 and b.state = $4
				and s.id = b.session_id and ($5 <> 'intended' or s.halted = '')`,
			before.Repository, before.Branch, before.Permission, before.State, after.State, after.Release,
			after.Onto, after.Commit, after.Tree, database.CleanJSON(told), database.CleanText(after.Reason))
		if changed = err == nil && tag.RowsAffected() > 0; !changed {
			return err
		}
		if err := consent.AppendAudit(ctx, tx, before.Session, "backport", before.Branch); err != nil {
			return err
		}
		return g.Store.WriteParts(ctx, tx, before.Session, parts)
	})
	return changed && err == nil, err
}

// A Push is a commit that a session pushed.
type Push struct {
	Commit   string
	Base     string // the commit that it was made on
	Branch   string
	Revision int    // the revision that was approved for it
	Unproven string // why nothing was proven of it; empty: it was proven
}

// NewestPush returns what the session pushed last, or nil if it pushed nothing.
func (g Register) NewestPush(ctx context.Context, session string) (*Push, error) {
	rows, err := g.Store.Pool.Query(ctx,
		`select p.commit_hash as commit, p.base_commit as base, p.branch, a.revision, p.unproven
		from pushes p join approvals a on a.id = p.approval_id where p.session_id = $1 and p.state = 'pushed'
			order by p.at desc limit 1`,
		session)
	if err != nil {
		return nil, err
	}
	p, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByName[Push])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return p, err
}

// PushTS returns the ts of the message that tells the thread of a push, by the commit in its footer, or by
// the words that results began with before they had one. underWay reports that it is being posted.
func (g Register) PushTS(
	ctx context.Context, session string, push Push,
) (ts string, underWay bool, err error) {
	short := fmt.Sprintf("%.7s", push.Commit)
	err = g.Store.Pool.QueryRow(ctx,
		`select coalesce(max(o.ts), ''), coalesce(bool_or(o.tried_at is not null and o.posted_at is null
		and o.refused is null), false)
		from lines l join outbox o on o.line_id = l.id where l.session_id = $1
			and (position($2 in l.text) > 0 or position($3 in l.text) > 0)`,
		session, "@"+short+" · ", fmt.Sprintf("Pushed `%s` at %s", push.Branch, short)).Scan(&ts, &underWay)
	return ts, underWay, err
}
