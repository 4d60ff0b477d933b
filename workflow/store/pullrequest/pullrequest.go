// Package pullrequest stores the pull requests of pushed branches. A row is the
// intent to open one, keyed by the repository and the branch, and later holds what
// became of it: a second push of the branch changes the row, and never adds another.
//
// A worker that sends requests to a host runs under the session's job of package queue. It
// writes what it found with Change, together with the line that tells the thread of it.
// Change writes only while the job is still the worker's and the row is as it was read.
package pullrequest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// The states of a Row.
const (
	Intended = "intended" // the host is to be asked to open it
	Open     = "open"
	Merged   = "merged" // and watched for a while, in case it is reverted
	Reverted = "reverted"
	Closed   = "closed"  // and watched for a while, in case it is reopened
	Refused  = "refused" // by the host; the branch exists
)

// A Row is the pull request of a branch.
type Row struct {
	Proposal
	Session string
	State   string
	// the host was asked to open it, so it may exist already
	Tried  bool
	Number int64
	URL    string
	// why it was refused
	Reason string
	// the pushed commit for which the host has the text, and the pull requests of the thread's other
	// repositories that it names
	Worded string
	// the state of its checks that the thread was told, or "merged COMMIT"
	Checked string
	// what failed, for the agent that fixes it
	Failure string
	// time of the newest comment that was taken in, by the host's clock; older ones may still come
	CommentsUntil time.Time
	NewsAt        time.Time
	// it is of a backport, not of the session's own branch
	Aside bool
	// the checks of Head are waited for as its proof, which tells the thread of them
	Proof bool
}

// A Proposal is the content of a pull request.
type Proposal struct {
	Repository string // its name in the configuration
	Branch     string
	Head       string // the commit that was pushed last
	Base       string // the branch that it is to be merged into
	Title      string
	Body       string
	Files      []string // paths that were changed
	// the repository's own template, prepared; empty: it has none
	Template string
}

// Intent is a Part: a pushed branch is to have a pull request. If the branch has one already, that
// one stays and is looked at again; while it is open, its text lists all pushes, newest first.
type Intent struct {
	Proposal
	Papers []Wanted
}

func (Intent) Stage() record.Stage { return record.Push }

// Mask masks the title and the body.
func (i Intent) Mask(mask func(string) string) record.Part {
	i.Title = mask(i.Title)
	i.Body = mask(i.Body)
	i.Template = mask(i.Template)
	return i
}

// Write stores the row, and lets the session's pull request job run at once.
func (i Intent) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx,
		`insert into pull_requests (repository, branch, session_id, head, base, title, body, files, template)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
		on conflict (repository, branch) do update set
			head = excluded.head, title = excluded.title, files = excluded.files,
			template = excluded.template,
			reason = '', checked = '', failure = '', news_at = now(), woken = true,
			body = case when pull_requests.state = 'open'
				then left(format(E'## %s\n\n%s\n\n## Before that\n\n%s',
					excluded.title, excluded.body, pull_requests.body), 100000)
				else excluded.body end,
			state = case when pull_requests.state = 'open' then 'open' else 'intended' end
		where pull_requests.session_id = excluded.session_id`,
		i.Repository, i.Branch, r.Session, i.Head, i.Base, database.CleanText(i.Title),
		database.CleanText(i.Body), append([]string{}, i.Files...), database.CleanText(i.Template))
	if err != nil {
		return fmt.Errorf("pull request: %w", err)
	}
	if err := i.writePapers(ctx, tx); err != nil {
		return err
	}
	return r.Queue.InsertPullRequest(ctx, tx, r.Session)
}

// A Register reads and changes the rows.
type Register struct{ Store *store.Store }

const columns = `repository, branch, session_id as session, head, base, title, body, files, template,
	state, tried_at is not null as tried, number, url, reason, worded, checked, failure,
	heard as comments_until, news_at,
	exists (select 1 from backports b
		where (b.repository, b.branch) = (pull_requests.repository, pull_requests.branch)) as aside,
	exists (select 1 from ci_proofs c where (c.repository, c.commit_hash, c.state)
		= (pull_requests.repository, pull_requests.head, 'waiting')) as proof`

// All returns the session's pull requests, oldest first. It
// returns none if the session's words were cleaned away.
func (g Register) All(ctx context.Context, session string) ([]Row, error) {
	rows, err := g.Store.Pool.Query(ctx, `select `+columns+` from pull_requests where session_id = $1
		and not exists (select 1 from sessions where id = $1 and cleared_at is not null) order by at, branch`,
		session)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Row])
}

// Of returns the pull request of the session's own branch. It returns
// nil if there is none, or if the session's words were cleaned away.
func (g Register) Of(ctx context.Context, session string) (*Row, error) {
	all, err := g.All(ctx, session)
	for _, r := range slices.Backward(all) {
		if !r.Aside {
			return &r, err
		}
	}
	return nil, err
}

// Remarked returns the pull request on which a message of the inbox was written. If the
// session has none with that number, it returns the one of the session's own branch.
func (g Register) Remarked(ctx context.Context, m workflow.Message) (*Row, error) {
	number, _, _ := strings.Cut(strings.TrimPrefix(m.EventID, m.Session+remarkMark), ":")
	all, err := g.All(ctx, m.Session)
	for _, r := range all {
		if fmt.Sprint(r.Number) == number {
			return &r, err
		}
	}
	if err != nil {
		return nil, err
	}
	return g.Of(ctx, m.Session)
}

// Trying stores that the host is asked to open it from now on,
// so that a later try first looks for it there.
func (g Register) Trying(ctx context.Context, r Row) error {
	return g.Store.Transact(ctx, func(tx pgx.Tx) error {
		if err := queue.CheckJob(ctx, tx); err != nil {
			return err
		}
		_, err := tx.Exec(ctx,
			`update pull_requests set tried_at = coalesce(tried_at, now()) where repository = $1
				and branch = $2`,
			r.Repository, r.Branch)
		return err
	})
}

// Change writes what became of a row, and the parts that go with it, such as the line in the thread.
// It writes nothing if another push came since, if another worker changed the row meanwhile, or if the
// session's words were cleaned away.
func (g Register) Change(ctx context.Context, before, after Row, parts ...store.Part) error {
	change := func(tx pgx.Tx) (pgconn.CommandTag, error) {
		return tx.Exec(ctx,
			`update pull_requests set state = $3, number = $4, url = $5, reason = $6, checked = $7,
				failure = $8, looked_at = now(), worded = $14, heard = greatest(heard, $13), base = $15,
				news_at = case when $9 then now() else news_at end
			where repository = $1 and branch = $2 and state = $10 and head = $11 and checked = $12`,
			before.Repository, before.Branch, after.State, after.Number, after.URL,
			database.CleanText(after.Reason),
			after.Checked, database.CleanText(after.Failure), len(parts) > 0,
			before.State, before.Head, before.Checked, after.CommentsUntil, after.Worded, after.Base)
	}
	return g.Store.ChangeRow(ctx, before.Session, change, parts...)
}

// Checked is a Part: the thread was told how the checks of a pushed commit ended. Nothing is said of them
// once more while they stay so.
type Checked struct {
	Repository, Branch, Head string
	State                    string // as in Row.Checked
	Failure                  string // as in Row.Failure
}

func (Checked) Stage() record.Stage { return record.Push }

// Mask masks what failed, and the names of the checks.
func (c Checked) Mask(mask func(string) string) record.Part {
	c.State = mask(c.State)
	c.Failure = mask(c.Failure)
	return c
}

// Write changes the branch's pull request, if there is one and the commit is the one that was pushed last.
func (c Checked) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx,
		`update pull_requests set checked = $5, failure = $6, news_at = now()
		where repository = $1 and branch = $2 and head = $3 and session_id = $4`,
		c.Repository, c.Branch, c.Head, r.Session, database.CleanText(c.State), database.CleanText(c.Failure))
	if err != nil {
		return fmt.Errorf("the checks of %s: %w", c.Head, err)
	}
	return nil
}

// Wake schedules a look soon at the pull requests of a repository that are open or could be reopened. It
// locks the rows of their sessions, so a look that ends at the same moment either sees that it has to come
// again, or has scheduled the next look already.
func (g Register) Wake(ctx context.Context, repository string) error {
	return g.Store.Transact(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx,
			`select id from sessions where id in (select session_id from pull_requests where repository = $1
				and state in ('open', 'closed')) order by id for update`,
			repository); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx,
			`update pull_requests set woken = true where repository = $1 and state in ('open', 'closed')`,
			repository); err != nil {
			return err
		}
		_, err := tx.Exec(ctx,
			`update river_job j set state = 'available', scheduled_at = greatest(now(), p.looked_at + $2)
			from pull_requests p where p.repository = $1 and p.state in ('open', 'closed')
			and j.kind = 'pull_request' and j.args->>'session' = p.session_id and j.state = 'scheduled'
				and j.scheduled_at > now()`,
			repository, queue.LookPause)
		return err
	})
}

// A Remark is a Part: a comment on the pull request, for a turn to judge. The same
// comment is stored once. Of people whose Slack user is unknown, at most maxStrangers are stored.
type Remark struct {
	ID    string // number of the pull request and id of the comment at the host: 4:c17
	Login string // login of its author at the host
	User  string // Slack id of its author; empty: unknown
	Place string // place in the code that it is about; empty: none
	Text  string
}

// remarkMark is between the session and the Remark's ID in the event id of the inbox row.
const remarkMark = ":remark:"

// maxStrangers keeps people from outside from flooding a thread.
const maxStrangers = 20

// Remarks holds which comments a session has stored.
type Remarks struct {
	ids       map[string]bool
	strangers int // how many of them are of unknown authors
}

// Remarks returns which comments on its pull requests the session has stored.
func (g Register) Remarks(ctx context.Context, session string) (Remarks, error) {
	r := Remarks{ids: map[string]bool{}}
	rows, err := g.Store.Pool.Query(ctx,
		`select event_id, user_id = '' from inbox where session_id = $1 and kind = $2`, session,
		workflow.MessageRemark)
	if err != nil {
		return r, fmt.Errorf("remarks of %s: %w", session, err)
	}
	var id string
	var stranger bool
	_, err = pgx.ForEachRow(rows, []any{&id, &stranger}, func() error {
		r.add(strings.TrimPrefix(id, session+remarkMark), stranger)
		return nil
	})
	return r, err
}

func (r *Remarks) add(id string, stranger bool) {
	r.ids[id] = true
	if stranger {
		r.strangers++
	}
}

// Add counts m as stored and reports whether Write stores it: it is new, and not of one stranger too many.
func (r *Remarks) Add(m Remark) bool {
	if r.ids[m.ID] || m.User == "" && r.strangers >= maxStrangers {
		return false
	}
	r.add(m.ID, m.User == "")
	return true
}

func (Remark) Stage() record.Stage { return record.Inbox }

// Mask masks the comment and the place that it is about.
func (m Remark) Mask(mask func(string) string) record.Part {
	m.Text = mask(m.Text)
	m.Place = mask(m.Place)
	return m
}

// Write inserts the comment into the inbox, where nothing acts on it before it is judged.
func (m Remark) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx,
		`insert into inbox (session_id, event_id, kind, message_ts, user_id, text, action_id, value)
		select $1, $2, $3, '', $4, $5, $6, $7 where $4 <> '' or (select count(*) from inbox
			where session_id = $1 and kind = $3 and user_id = '') < $8
		on conflict do nothing`, r.Session, r.Session+remarkMark+m.ID, workflow.MessageRemark, m.User,
		database.CleanText(m.Text), database.CleanText(m.Place), database.CleanText(m.Login), maxStrangers)
	if err != nil {
		return fmt.Errorf("a remark on a pull request: %w", err)
	}
	return r.Queue.InsertTurn(ctx, tx, r.Session)
}
