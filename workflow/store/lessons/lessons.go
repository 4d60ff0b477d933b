// Package lessons stores what was learned about a repository: the commands that worked, what kept the tests
// from starting, and what members asked to have remembered. Each row names its source: what the program
// itself saw, or which member said it. Nothing that a repository, a model or a guest says becomes a lesson.
package lessons

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// The keys of lessons. A folder of a repository has at most one lesson for each key.
const (
	KeyTest  = "test"  // the test command that worked
	KeyStart = "start" // what the tests lacked to start
	keyNote  = "note:" // the start of a note's key; the hash of its text follows
)

const (
	MaxText = 300 // characters of a lesson
	Most    = 50  // notes of members for one repository
)

// A Lesson is one thing that was learned.
type Lesson struct {
	ID         int64     `json:"id"`
	Repository string    `json:"repository"`
	Folder     string    `json:"folder,omitempty"` // empty: the whole repository
	Key        string    `json:"-"`
	Text       string    `json:"text"`
	Source     string    `json:"source"`           // what the program saw, or where a member said it
	Person     string    `json:"person,omitempty"` // the member who said it; empty: the program saw it
	Session    string    `json:"session,omitempty"`
	Channel    string    `json:"channel,omitempty"` // of the session's thread
	ThreadTS   string    `json:"thread_ts,omitempty"`
	At         time.Time `json:"at"`
	Requester  string    `json:"-"` // of the session
}

// Seen is a Part: a lesson that the program itself saw. It replaces the
// earlier lesson with the same key. An empty Text deletes that lesson.
type Seen struct {
	Repository, Folder, Key, Text, Source string
	// the member who said what the program then saw to be so; empty: none did
	Person string
}

func (Seen) Stage() record.Stage { return record.Work }

// Mask masks the lesson and its source, which agents are shown.
func (s Seen) Mask(mask func(string) string) record.Part {
	s.Text = mask(s.Text)
	s.Source = mask(s.Source)
	return s
}

func (s Seen) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	if s.Text == "" {
		_, err := tx.Exec(ctx, `delete from lessons where repository = $1 and folder = $2 and key = $3`,
			s.Repository, s.Folder, s.Key)
		return err
	}
	_, err := tx.Exec(ctx,
		`insert into lessons (repository, folder, key, text, source, session_id, person)
		values ($1, $2, $3, left($4, $5), left($6, $5), $7, $8)
		on conflict (repository, folder, key) do update set text = excluded.text, source = excluded.source,
			session_id = excluded.session_id, person = excluded.person, at = now()
		where lessons.text <> excluded.text or lessons.person = '' and excluded.person <> ''`,
		s.Repository, s.Folder, s.Key, database.CleanText(s.Text), MaxText, database.CleanText(s.Source),
		r.Session, s.Person)
	return err
}

// Noted is a Part: a note that a member asked to have remembered. Writing it fails with
// record.ErrStale if the note is known already, or if the repository has as many notes as are kept.
type Noted struct{ Repository, Folder, Text, Person string }

func (Noted) Stage() record.Stage { return record.Work }

// Mask masks the note, which agents and members are shown.
func (n Noted) Mask(mask func(string) string) record.Part {
	n.Text = mask(n.Text)
	return n
}

func (n Noted) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	tag, err := tx.Exec(ctx, `insert into lessons (repository, folder, key, text, source, session_id, person)
		select $1, $2, $3::text || md5($4::text), left($4, $5), 'said in the thread', $6, $7
		where (select count(*) from lessons where repository = $1 and person <> '') < $8
			on conflict do nothing`,
		n.Repository, n.Folder, keyNote, database.CleanText(n.Text), MaxText, r.Session, n.Person, Most)
	if err == nil && tag.RowsAffected() == 0 {
		err = record.ErrStale
	}
	return err
}

// Forgotten is a Part that deletes a lesson of the repository. Writing it fails with record.ErrStale
// if there is no such lesson. If it was about the test command, that command is found out again.
type Forgotten struct {
	ID         int64
	Repository string
}

func (Forgotten) Stage() record.Stage { return record.Work }

// Mask returns f, which has no text.
func (f Forgotten) Mask(func(string) string) record.Part { return f }

func (f Forgotten) Write(ctx context.Context, tx pgx.Tx, _ *record.Recording) error {
	was := Lesson{Repository: f.Repository}
	err := tx.QueryRow(ctx, `delete from lessons where id = $1 and repository = $2 returning folder, key`,
		f.ID, f.Repository).Scan(&was.Folder, &was.Key)
	if errors.Is(err, pgx.ErrNoRows) {
		return record.ErrStale
	}
	if err != nil {
		return err
	}
	return dropTestCommand(ctx, tx, was)
}

// Has reports whether the repository has a lesson with that key
// for that folder; an empty folder is the whole repository.
func Has(ctx context.Context, db *database.DB, repository, folder, key string) (has bool, err error) {
	err = db.Pool.QueryRow(ctx,
		`select exists (select 1 from lessons where repository = $1 and folder = $2 and key = $3)`,
		repository, folder, key).Scan(&has)
	if err != nil {
		return false, fmt.Errorf("what was learned: %w", err)
	}
	return has, nil
}

// Of returns the lessons of the repository, oldest first. With a folder, it returns those of the
// folder and of the whole repository. Without a repository, it returns those of all repositories.
func Of(ctx context.Context, db *database.DB, repository, folder string) ([]Lesson, error) {
	rows, err := db.Pool.Query(ctx,
		`select l.id, l.repository, l.folder, l.key, l.text, l.source, l.person, l.session_id,
		coalesce(s.channel, ''), coalesce(s.thread_ts, ''), l.at, coalesce(s.requester, '')
		from lessons l left join sessions s on s.id = l.session_id and s.cleared_at is null
		where ($1 = '' or l.repository = $1) and ($2 = '' or l.folder in ('', $2))
			order by l.repository, l.id`,
		repository, folder)
	if err != nil {
		return nil, fmt.Errorf("what was learned: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Lesson])
}
