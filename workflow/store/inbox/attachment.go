package inbox

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// Attachments is a Part. A file without a number is new in the thread; one with a number
// was read, and the result is stored. A file that was withdrawn meanwhile stays withdrawn.
type Attachments []workflow.Attachment

func (Attachments) Stage() record.Stage { return record.Work }

// Mask masks the names of the files, what is said of them, and the content of those that are text.
func (list Attachments) Mask(mask func(string) string) record.Part {
	list = slices.Clone(list)
	for i, a := range list {
		list[i].Name = mask(a.Name)
		list[i].Why = mask(a.Why)
		if a.Media == workflow.MediaText {
			list[i].Content = []byte(mask(string(a.Content)))
		}
	}
	return list
}

func (list Attachments) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	for _, a := range list {
		if a.Number == 0 {
			if err := attachFiles(ctx, tx, r.Session, []workflow.Attachment{a}); err != nil {
				return err
			}
			continue
		}
		_, err := tx.Exec(ctx,
			`update attachments set state = $3, why = $4, media = $5, content = $6, name = $7, size = $8
			where session_id = $1 and number = $2 and state = ''`,
			r.Session, a.Number, a.State, database.CleanText(a.Why), a.Media, a.Content,
			database.CleanText(a.Name), a.Size)
		if err != nil {
			return err
		}
	}
	return nil
}

// Withdrawn is a Part: the ts of a message whose files must not be used any more.
type Withdrawn string

func (Withdrawn) Stage() record.Stage { return record.Work }

// Mask returns w, which is no text.
func (w Withdrawn) Mask(func(string) string) record.Part { return w }

func (w Withdrawn) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := tx.Exec(ctx,
		`update attachments set state = 'gone', content = null, url = '' where session_id = $1
			and message_ts = $2`,
		r.Session, string(w))
	return err
}

// wasGivenToAgents is the condition that leaves out the files of messages that agents were not
// given: those that are held, refused, or not judged yet. The files of a question to
// the consultant are given, and so are files in the thread that never came as an event.
const wasGivenToAgents = `not exists (select 1 from inbox i where i.session_id = attachments.session_id
		and i.message_ts = attachments.message_ts
		and i.kind in ('mention', 'reply', 'sent') having count(*) > 0 and not bool_or(i.for_agents
			or exists (select 1 from permissions p join inbox r on r.id = any(p.rests_on)
				where p.session_id = i.session_id and r.message_ts = i.message_ts)
			or exists (select 1 from inquiries q where q.session_id = i.session_id and q.kind = 'consult'
				and q.key = 'message:' || i.id)))`

// Files reads the files of sessions.
type Files struct{ DB *database.DB }

// Attachments returns the session's files in the order of their numbers, without
// their content. The files of messages that agents were not given are left out.
func (f Files) Attachments(ctx context.Context, session string) ([]workflow.Attachment, error) {
	rows, err := f.DB.Pool.Query(ctx,
		`select number, message_ts as message, file_id as file, name, kind, mode, size, url, state, why,
		media, null::bytea as content
		from attachments where session_id = $1 and `+wasGivenToAgents+` order by number`, session)
	if err != nil {
		return nil, fmt.Errorf("attachments of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[workflow.Attachment])
}

// Attachment returns one file with its content, or nil if the session
// has no file with that number or agents were not given its message.
func (f Files) Attachment(ctx context.Context, session string, number int) (*workflow.Attachment, error) {
	rows, err := f.DB.Pool.Query(ctx,
		`select number, message_ts as message, file_id as file, name, kind, mode, size, url, state, why,
		media, content
		from attachments where session_id = $1 and number = $2 and `+wasGivenToAgents, session, number)
	if err != nil {
		return nil, fmt.Errorf("attachment %d of %s: %w", number, session, err)
	}
	a, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByName[workflow.Attachment])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	return &a, err
}
