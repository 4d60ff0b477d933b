package inbox

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// maxAttachments is how many files of one session are stored; further ones are left out.
const maxAttachments = 100

// attachFiles stores what Slack says of a message's files, without their content. Files that are
// known do not change. The caller has locked the session's row, so that each number is given once.
func attachFiles(ctx context.Context, tx pgx.Tx, session string, list []workflow.Attachment) error {
	for _, a := range list {
		_, err := tx.Exec(ctx,
			`insert into attachments (session_id, number, message_ts, file_id, name, kind, mode, size, url)
			select $1, count(*) + 1, $2, $3, $4, $5, $6, $7, $8 from attachments
				where session_id = $1 having count(*) < $9
			on conflict (session_id, message_ts, file_id) do nothing`,
			session, a.Message, database.CleanText(a.File), database.CleanText(a.Name),
			database.CleanText(a.Kind),
			database.CleanText(a.Mode), a.Size, database.CleanText(a.URL), maxAttachments)
		if err != nil {
			return err
		}
	}
	return nil
}
