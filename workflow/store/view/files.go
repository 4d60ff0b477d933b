package view

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
)

// maxFileText is how many bytes of a file's text an entry has.
const maxFileText = 16 << 10

// addFiles sets the texts of the entries about files. Postgres may refuse what a file holds as text, so it is
// read as bytes.
func addFiles(ctx context.Context, db *database.DB, session string, entries []Entry) error {
	at := map[int]int{} // index of the entry by the file's number
	var numbers []int
	for i, e := range entries {
		if e.Kind == Reading && e.Number > 0 {
			at[e.Number] = i
			numbers = append(numbers, e.Number)
		}
	}
	if len(numbers) == 0 {
		return nil
	}
	rows, err := db.Pool.Query(ctx, `select number, why, media, size,
			case when media = $3 then substring(content from 1 for $4) end
		from attachments where session_id = $1 and number = any($2)`,
		session, numbers, workflow.MediaText, maxFileText)
	if err != nil {
		return err
	}
	var number int
	var why, media string
	var size int64
	var content []byte
	_, err = pgx.ForEachRow(rows, []any{&number, &why, &media, &size, &content}, func() error {
		entries[at[number]].Text = fileText(why, media, size, content)
		return nil
	})
	return err
}

// fileText returns what a file is and how it begins.
func fileText(why, media string, size int64, content []byte) string {
	var lines []string
	if why != "" {
		lines = append(lines, why)
	}
	if content == nil {
		return strings.Join(append(lines, fmt.Sprintf("%s, %d bytes", media, size)), "\n")
	}
	lines = append(lines, strings.ToValidUTF8(string(content), ""))
	if left := size - int64(len(content)); left > 0 {
		lines = append(lines, fmt.Sprintf("[%d more bytes]", left))
	}
	return strings.Join(lines, "\n")
}
