package lessons

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// A Correction changes one lesson outside of any thread. The caller has checked that its author may do so.
type Correction struct {
	ID     int64
	Was    string // the text of the lesson, as its author read it
	Text   string // the new text; empty: the lesson is forgotten
	Person string // Slack id of the author; empty: the operator
	Where  string // where it was said, in words
}

// The reasons for which Correct refuses a correction.
var (
	ErrNone    = errors.New("there is no such lesson any more")
	ErrChanged = errors.New("somebody has changed the lesson meanwhile")
	ErrKnown   = errors.New("that is known about the repository already")
	ErrFull    = fmt.Errorf("a repository keeps at most %d lessons, and this one has that many", Most)
)

// Correct applies the correction, and records the decision in the audit of the session where the lesson
// was learned, if that session still exists. It does nothing if the lesson has that text already.
func Correct(ctx context.Context, db *database.DB, c Correction) error {
	err := pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error {
		var l Lesson
		err := tx.QueryRow(ctx,
			`select repository, folder, key, text, person, session_id from lessons where id = $1`, c.ID).
			Scan(&l.Repository, &l.Folder, &l.Key, &l.Text, &l.Person, &l.Session)
		if errors.Is(err, pgx.ErrNoRows) {
			return ErrNone
		}
		if err != nil {
			return err
		}
		// Like a turn, this locks the session first, and then the
		// lessons of a repository one after another.
		there, err := tx.Exec(ctx, `select from sessions where id = $1 for update`, l.Session)
		if err != nil {
			return err
		}
		note, err := c.apply(ctx, tx, l)
		if err != nil || note == "" || there.RowsAffected() == 0 {
			return err
		}
		return consent.Decision{
			What:    workflow.DecideLesson,
			Allowed: true,
			Reason:  note + " (" + c.Where + ")",
			User:    c.Person,
		}.Write(ctx, tx, &record.Recording{Session: l.Session})
	})
	if err != nil {
		return fmt.Errorf("lesson %d: %w", c.ID, err)
	}
	return nil
}

// apply changes the row and returns what it did, in words. It
// returns an empty string if nothing had to change.
func (c Correction) apply(ctx context.Context, tx pgx.Tx, l Lesson) (note string, err error) {
	text := database.CleanText(c.Text)
	if text == l.Text {
		return "", nil
	}
	if text == "" {
		tag, err := tx.Exec(ctx, `delete from lessons where id = $1 and text = $2`, c.ID, c.Was)
		if err == nil && tag.RowsAffected() == 0 {
			err = ErrChanged
		}
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("Forgotten about %s: %s", l.Repository, l.Text), dropTestCommand(ctx, tx, l)
	}
	var known bool
	var notes int
	err = tx.QueryRow(ctx,
		`select coalesce(bool_or(text = left($2, $3)), false), count(*) filter (where person <> ''
			and id <> $4) from lessons where repository = $1`,
		l.Repository, text, MaxText, c.ID).Scan(&known, &notes)
	switch {
	case err != nil:
		return "", err
	case known:
		return "", ErrKnown
	case notes >= Most:
		return "", ErrFull
	}
	tag, err := tx.Exec(ctx,
		`update lessons set text = left($3, $4), key = $5::text || md5($3::text), source = $6, person = $7, at
			= now() where id = $1 and text = $2`,
		c.ID, c.Was, text, MaxText, keyNote, c.Where, c.Person)
	if err == nil && tag.RowsAffected() == 0 {
		err = ErrChanged
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("Of %s, in the place of %q: %s", l.Repository, l.Text,
		text), dropTestCommand(ctx, tx, l)
}

// dropTestCommand deletes the stored test command if the
// lesson was about it, so that the command is found out again.
func dropTestCommand(ctx context.Context, tx pgx.Tx, l Lesson) error {
	if l.Key != KeyTest {
		return nil
	}
	_, err := tx.Exec(ctx, `delete from test_commands where repository = $1 and folder = $2`,
		l.Repository, l.Folder)
	return err
}
