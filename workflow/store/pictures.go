// Pictures of a project's pages from before and after a push. The recording of the push asks for them with a
// PictureRequest, and the side job of package queue takes them (see workflow/turn). EndPictures stores them
// and says the line that brings them into the thread, in one transaction. So after a crash the pictures are
// taken again, and the line is said once.

package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
	"github.com/bobbinhq/bobbin/workflow/store/queue"
)

// A PictureRequest is a Part: it asks for pictures of what a push changed, once for each key.
type PictureRequest struct {
	ID           int64
	Session      string
	Key          string
	Repository   string
	Base, Commit string
	Changed      []string // paths of the changed files
}

// Stage implements record.Part.
func (PictureRequest) Stage() record.Stage { return record.Work }

// Mask returns p: it has hashes and paths, and no text.
func (p PictureRequest) Mask(func(string) string) record.Part { return p }

// Write stores the request and queues the job that takes the
// pictures, if a finished task of the session was visual.
func (p PictureRequest) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	changed := []string{}
	for _, c := range p.Changed {
		changed = append(changed, database.CleanText(c))
	}
	tag, err := tx.Exec(ctx,
		`insert into pictures (session_id, key, repository, base, commit_hash, changed) select $1, $2, $3, $4,
		$5, $6
		where exists (select 1 from tasks where session_id = $1 and category = $7 and state = $8)
			on conflict do nothing`,
		r.Session, p.Key, p.Repository, p.Base, p.Commit, changed, workflow.CategoryVisual, workflow.TaskDone)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	return r.Queue.InsertSide(ctx, tx, r.Session, queue.HistoryWork)
}

// PicturesStopped is a Part that stops the session's open requests.
type PicturesStopped struct{}

// Stage implements record.Part.
func (PicturesStopped) Stage() record.Stage { return record.Work }

// Mask returns p, which has no text.
func (p PicturesStopped) Mask(func(string) string) record.Part { return p }

// Write implements record.Part.
func (PicturesStopped) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx,
		`update pictures set state = 'stopped' where session_id = $1 and state = 'open'`, r.Session)
	return err
}

// OpenPictureRequest returns the session's oldest open request, or nil if there is none.
func OpenPictureRequest(ctx context.Context, db *database.DB, session string) (*PictureRequest, error) {
	q := PictureRequest{Session: session}
	err := db.Pool.QueryRow(ctx,
		`select id, key, repository, base, commit_hash, changed from pictures where session_id = $1
			and state = 'open' order by id limit 1`,
		session).
		Scan(&q.ID, &q.Key, &q.Repository, &q.Base, &q.Commit, &q.Changed)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("pictures of %s: %w", session, err)
	}
	return &q, nil
}

// A PicturedPage is one page of the project before and after a push.
type PicturedPage struct {
	Request int64 // with Number it identifies the page in its session
	Number  int
	Path    string
	Places  int     // number of places that look different
	Before  Picture // empty: the page is new
	After   Picture
}

// A Picture is an image of a page, in which the places that look different have boxes.
type Picture struct {
	Content []byte
	Kind    string // png or jpg
}

// EndPictures stores the pages and says the line, unless the request was
// stopped or ended before. A line without a text is not said.
func EndPictures(
	ctx context.Context, s *Store, q PictureRequest, pages []PicturedPage, line workflow.Line,
) error {
	return s.Transact(ctx, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `select 1 from sessions where id = $1 for update`, q.Session); err != nil {
			return err
		}
		if err := queue.CheckJob(ctx, tx); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, `update pictures set state = 'done' where id = $1 and state = 'open'`, q.ID)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		for i, p := range pages {
			err := database.Insert(ctx, tx, "picture_pages", database.Row{
				"picture_id": q.ID, "number": i + 1, "page": p.Path, "places": p.Places,
				"before": p.Before.Content, "before_kind": p.Before.Kind,
				"after": p.After.Content, "after_kind": p.After.Kind,
			})
			if err != nil {
				return err
			}
		}
		if line.Text == "" {
			return nil
		}
		return s.WriteLine(ctx, tx, q.Session, line)
	})
}

// NewestPictures returns the pages of the session's newest push that has any, without
// the content of the pictures.
func NewestPictures(ctx context.Context, db *database.DB, session string) ([]PicturedPage, error) {
	rows, err := db.Pool.Query(ctx,
		`select picture_id, number, page, places, before_kind, after_kind from picture_pages
		where picture_id = (select max(picture_id) from picture_pages join pictures on id = picture_id
			where session_id = $1) order by number`,
		session)
	if err != nil {
		return nil, fmt.Errorf("pictures of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, func(r pgx.CollectableRow) (p PicturedPage, err error) {
		err = r.Scan(&p.Request, &p.Number, &p.Path, &p.Places, &p.Before.Kind, &p.After.Kind)
		return p, err
	})
}

// FindPicture returns one picture of the session, from before or after the push.
// found is false if there is none.
func FindPicture(
	ctx context.Context, db *database.DB, session string, request int64, number int, before bool,
) (p Picture, found bool, err error) {
	err = db.Pool.QueryRow(ctx,
		`select case when $4 then before else after end, case when $4 then before_kind else after_kind end
		from picture_pages join pictures on id = picture_id where session_id = $1 and picture_id = $2
			and number = $3`,
		session, request, number, before).Scan(&p.Content, &p.Kind)
	if errors.Is(err, pgx.ErrNoRows) {
		return p, false, nil
	}
	if err != nil {
		return p, false, fmt.Errorf("picture of %s: %w", session, err)
	}
	return p, len(p.Content) > 0, nil
}
