package consent

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// An Amendment is a Part: what a person who may approve said after an approval, about the
// approved revision. It is kept with the approval and permits nothing. A message that was edited
// has several, of which the newest counts; one without text takes the message's words back.
type Amendment struct {
	Revision  int
	Message   int64 // id of the inbox row
	MessageTS string
	User      string
	UserName  string
	Text      string
	// Words is how many words the person wrote, without the question that they answer; an option that was
	// chosen is one. Nil: as many as Text has.
	Words *int `db:"own_words"`
}

// OwnWords returns how many words the person wrote.
func (a Amendment) OwnWords() int {
	if a.Words == nil {
		return len(strings.Fields(a.Text))
	}
	return *a.Words
}

func (Amendment) Stage() record.Stage { return record.Work }

// Mask masks what the person said.
func (a Amendment) Mask(mask func(string) string) record.Part {
	a.Text = mask(a.Text)
	return a
}

func (a Amendment) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	_, err := database.InsertOnce(ctx, tx, "amendments", database.Row{
		"session_id": r.Session, "revision": a.Revision, "message_id": a.Message, "message_ts": a.MessageTS,
		"user_id": a.User, "user_name": a.UserName, "text": a.Text,
		"own_words": a.Words,
	})
	return err
}

// Amendments returns what was said since the approval of a revision, in
// order: the newest wording of each message, without those that were deleted.
func (g Register) Amendments(ctx context.Context, session string, revision int) ([]Amendment, error) {
	rows, err := g.DB.Pool.Query(ctx,
		`select revision, message_id as message, message_ts, user_id as "user", user_name, text, own_words
		from amendments a
		where session_id = $1 and revision = $2 and text <> '' and not exists (select 1 from amendments later
			where later.session_id = $1 and later.revision = $2 and later.message_ts = a.message_ts
				and later.message_id > a.message_id)
		order by message_id`, session, revision)
	if err != nil {
		return nil, fmt.Errorf("amendments of revision %d of %s: %w", revision, session, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByName[Amendment])
}
