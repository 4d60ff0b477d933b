// Package ticket stores what goes out to a tracker or to the issues of a git host: the issues that people
// file, the reviews that they have posted on pull requests, and the comments with a result on the tickets
// that a request named. A row is the intent, keyed by the session and by what it is of, and later holds what
// became of it: filing the same report twice changes nothing. An issue is written with the permission of the
// person who files it. Until then its row is an offer, which holds the text that the thread was shown. A
// comment is written with the push.
//
// A worker that sends requests runs under the session's pull request job of package queue. It writes what it
// found with Change, together with the line that tells the thread of it. Change writes only while the job is
// still the worker's and the row is as it was read.
package ticket

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// The states of a Row.
const (
	Offered  = "offered"  // the thread was shown the text, and nobody has had it filed
	Intended = "intended" // it is to be sent
	Filed    = "filed"
	Refused  = "refused" // by the host or the tracker; Reason says why
)

// A Draft is what is to be sent.
type Draft struct {
	Key        string // what it is of; see the functions Of…
	Repository string // its name in the configuration
	Place      string // where it goes, for people: "SHOP (jira at acme.atlassian.net)"
	Tracker    string // of a comment: the kind of the tracker
	Issue      string // of a comment: the issue, as its tracker names it; of a review: the pull request
	Revision   int    // of the report that it holds; 0: it holds none
	Title      string // of an issue
	Body       string // Markdown, without the link to the thread
}

// A Row is a Draft with what became of it.
type Row struct {
	Draft
	Session  string
	Mark     string // by which it is found where it was sent
	State    string
	TriedAt  time.Time // since then it may be there; zero: nothing was sent
	Shown    string    // the issue that was filed, for people
	URL      string
	Reason   string
	User     string
	UserName string
}

// OfRevision returns the key of an issue with the report of that revision.
func OfRevision(revision int) string { return fmt.Sprint("issue:revision:", revision) }

// OfWords returns the key of an issue with what people wrote, up to that row of the inbox.
func OfWords(newest int64) string { return fmt.Sprint("issue:words:", newest) }

// OfReview returns the key of the review of that revision on the pull request that the session is about.
func OfReview(revision int) string { return fmt.Sprint("review:revision:", revision) }

// OfComment returns the key of the comment on an issue of a tracker.
func OfComment(tracker, issue string) string { return "comment:" + tracker + ":" + issue }

// IsReview reports whether it is a review on a pull request.
func (d Draft) IsReview() bool { return strings.HasPrefix(d.Key, "review:") }

// IsComment reports whether it is a comment, not an issue.
func (d Draft) IsComment() bool { return strings.HasPrefix(d.Key, "comment:") }

func (d Draft) masked(mask func(string) string) Draft {
	d.Title = mask(d.Title)
	d.Body = mask(d.Body)
	return d
}

// An Offer is a Part: the thread is shown what would be filed. A newer text replaces the older one, until
// somebody has it filed.
type Offer Draft

func (Offer) Stage() record.Stage { return record.Given }

// Mask masks the title and the text.
func (o Offer) Mask(mask func(string) string) record.Part { return Offer(Draft(o).masked(mask)) }

// Write stores the offer.
func (o Offer) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	return write(ctx, tx, r.Session, Draft(o), Offered, nil)
}

// An Order is a Part: a person has an issue filed, by the Permission of the same recording.
type Order Draft

func (Order) Stage() record.Stage { return record.Given }

// Mask masks the title and the text.
func (o Order) Mask(mask func(string) string) record.Part { return Order(Draft(o).masked(mask)) }

// Write stores the row and lets the session's job run at once. It fails with record.ErrStale if the issue is
// filed already or is under way.
func (o Order) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	p, _ := record.Find[consent.Permission](r)
	if err := write(ctx, tx, r.Session, Draft(o), Intended, &p); err != nil {
		return err
	}
	return r.Queue.InsertPullRequest(ctx, tx, r.Session)
}

// write inserts or replaces the row. A row of which something was sent or is to be sent stays as it is, which
// is an error for an order.
func write(
	ctx context.Context, tx pgx.Tx, session string, d Draft, state string, by *consent.Permission,
) error {
	giver := consent.GiverOf(by)
	tag, err := tx.Exec(ctx,
		`insert into tickets (session_id, key, mark, repository, place, revision, title, body, state,
			permission_id, user_id, user_name, message_ts, issue)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
		on conflict (session_id, key) do update set
			repository = excluded.repository, place = excluded.place, title = excluded.title,
			body = excluded.body, state = excluded.state, permission_id = excluded.permission_id,
			user_id = excluded.user_id, user_name = excluded.user_name, message_ts = excluded.message_ts,
			reason = '', at = now()
		where tickets.state = 'offered' or tickets.state = 'refused' and excluded.state = 'intended'`,
		session, d.Key, "bobbin-"+store.NewToken(), d.Repository, database.CleanText(d.Place), d.Revision,
		database.CleanText(d.Title), database.CleanText(d.Body), state,
		giver.Permission, giver.User, database.CleanText(giver.Name), giver.Message, d.Issue)
	if err != nil {
		return fmt.Errorf("ticket: %w", err)
	}
	switch {
	case tag.RowsAffected() > 0:
		return consent.AppendAudit(ctx, tx, session, "ticket", d.Key)
	case by != nil:
		return record.ErrStale
	}
	return nil
}

// A Comment is a Part: a ticket that the request named is to get the result as a comment, once.
type Comment Draft

func (Comment) Stage() record.Stage { return record.Push }

// Mask masks the text.
func (c Comment) Mask(mask func(string) string) record.Part { return Comment(Draft(c).masked(mask)) }

// Write stores the row, unless the ticket has one, and lets the session's job run at once.
func (c Comment) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	tag, err := tx.Exec(ctx,
		`insert into tickets (session_id, key, mark, repository, place, tracker, issue, revision, body, state)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'intended') on conflict do nothing`,
		r.Session, c.Key, "bobbin-"+store.NewToken(), c.Repository, database.CleanText(c.Place), c.Tracker,
		database.CleanText(c.Issue), c.Revision, database.CleanText(c.Body))
	if err != nil {
		return fmt.Errorf("comment on a ticket: %w", err)
	}
	if tag.RowsAffected() > 0 {
		if err := consent.AppendAudit(ctx, tx, r.Session, "ticket", c.Key); err != nil {
			return err
		}
	}
	return r.Queue.InsertPullRequest(ctx, tx, r.Session)
}

// Stop is a Part that takes back the issues of the session of which nothing was sent yet: they are offers
// again.
type Stop struct{}

func (Stop) Stage() record.Stage { return record.Work }

// Mask returns s, which has no text.
func (s Stop) Mask(func(string) string) record.Part { return s }

func (Stop) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	rows, err := tx.Query(ctx,
		`update tickets set state = 'offered', permission_id = null, user_id = null, message_ts = null
		where session_id = $1 and state = 'intended' and tried_at is null and key not like 'comment:%'
		returning key`, r.Session)
	if err != nil {
		return fmt.Errorf("take tickets back: %w", err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("take tickets back: %w", err)
	}
	for _, key := range keys {
		if err := consent.AppendAudit(ctx, tx, r.Session, "ticket", key); err != nil {
			return err
		}
	}
	return nil
}

// A Register reads and changes the rows.
type Register struct{ Store *store.Store }

const columns = `session_id as session, key, mark, repository, place, tracker, issue, revision, title, body,
	state, coalesce(tried_at, '0001-01-01Z') as tried_at, shown, url, reason,
	coalesce(user_id, '') as "user", user_name`

// All returns the session's tickets, oldest first, or none if the session's words were cleaned away.
func (g Register) All(ctx context.Context, session string) ([]Row, error) {
	rows, err := g.Store.Pool.Query(ctx, `select `+columns+` from tickets where session_id = $1
		and not exists (select 1 from sessions where id = $1 and cleared_at is not null) order by at, key`,
		session)
	if err != nil {
		return nil, fmt.Errorf("tickets of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Row])
}

// Of returns the ticket with that key, or nil if there is none.
func (g Register) Of(ctx context.Context, session, key string) (*Row, error) {
	rows, err := g.Store.Pool.Query(ctx,
		`select `+columns+` from tickets where (session_id, key) = ($1, $2)`, session, key)
	if err != nil {
		return nil, fmt.Errorf("the ticket %s: %w", key, err)
	}
	row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByName[Row])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return row, err
}

// Trying stores that the row is being sent from now on, so that a later try first looks for it. It reports
// whether it is still to be sent.
func (g Register) Trying(ctx context.Context, r Row) (still bool, err error) {
	err = g.Store.Transact(ctx, func(tx pgx.Tx) error {
		if err := queue.CheckJob(ctx, tx); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `update tickets set tried_at = coalesce(tried_at, now())
			where (session_id, key) = ($1, $2) and state = 'intended'`, r.Session, r.Key)
		still = err == nil && tag.RowsAffected() > 0
		return err
	})
	return still, err
}

// Change writes what became of a row, and the parts that go with it, such as the line in the thread. It
// writes nothing if the row is not as before any more, or if the session's words were cleaned away.
func (g Register) Change(ctx context.Context, before, after Row, parts ...store.Part) error {
	change := func(tx pgx.Tx) (pgconn.CommandTag, error) {
		// A refusal is certain: nothing was filed, so a later order need not look for it.
		tag, err := tx.Exec(ctx,
			`update tickets set state = $4, shown = $5, url = $6, reason = $7,
				tried_at = case when $4 = 'refused' then null else tried_at end
			where (session_id, key, state) = ($1, $2, $3)`,
			before.Session, before.Key, before.State, after.State, database.CleanText(after.Shown), after.URL,
			database.CleanText(after.Reason))
		if err != nil || tag.RowsAffected() == 0 {
			return tag, err
		}
		return tag, consent.AppendAudit(ctx, tx, before.Session, "ticket", before.Key)
	}
	return g.Store.ChangeRow(ctx, before.Session, change, parts...)
}
