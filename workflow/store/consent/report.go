package consent

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/database"
	"github.com/bobbinhq/bobbin/workflow/store/internal/record"
)

// A Report is a Part: a new revision, which is the session's
// from now on. The text that people read is a line of its own.
type Report workflow.Report

func (Report) Stage() record.Stage { return record.Report }

// Mask masks the text, of which Write stores the hash, and all texts of the body, which agents and the page
// are shown. A text that is masked already stays the same, so the text, its hash and the line that shows it
// agree.
func (p Report) Mask(mask func(string) string) record.Part {
	p.Text = mask(p.Text)
	p.Body = record.MaskJSON(p.Body, mask)
	return p
}

func (p Report) Write(ctx context.Context, tx pgx.Tx, r *record.Recording) error {
	report := workflow.Report(p)
	report.Text = database.CleanText(report.Text) // the hash is of the text as it is stored and shown
	err := database.Insert(ctx, tx, "reports", database.Row{
		"session_id":  r.Session,
		"revision":    report.Revision,
		"kind":        report.Kind,
		"body":        []byte(report.Body),
		"text":        report.Text,
		"hash":        report.Hash(),
		"base_commit": report.BaseCommit,
		"asked_by":    report.AskedBy,
		"credits":     append([]string{}, report.Credits...),
	})
	if err != nil {
		return err
	}
	return AppendAudit(ctx, tx, r.Session, "report", strconv.Itoa(report.Revision))
}

// Report returns one revision. Revision 0 is no report, so it fails with pgx.ErrNoRows.
func (g Register) Report(ctx context.Context, session string, revision int) (workflow.Report, error) {
	r := workflow.Report{Session: session, Revision: revision}
	var body []byte
	err := g.DB.Pool.QueryRow(ctx,
		`select kind, body, text, base_commit, asked_by, credits from reports where session_id = $1
			and revision = $2`,
		session, revision).
		Scan(&r.Kind, &body, &r.Text, &r.BaseCommit, &r.AskedBy, &r.Credits)
	r.Body = body
	return r, err
}

// Reports returns all revisions, oldest first.
func (g Register) Reports(ctx context.Context, session string) ([]workflow.Report, error) {
	rows, err := g.DB.Pool.Query(ctx,
		`select revision, kind, body, text, base_commit, asked_by, credits from reports where session_id = $1
			order by revision`,
		session)
	if err != nil {
		return nil, fmt.Errorf("reports of %s: %w", session, err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (workflow.Report, error) {
		r := workflow.Report{Session: session}
		var body []byte
		err := row.Scan(&r.Revision, &r.Kind, &body, &r.Text, &r.BaseCommit, &r.AskedBy, &r.Credits)
		r.Body = body
		return r, err
	})
}

// ReportTS returns the ts of the message in which people read a revision, or an empty string
// before it is in Slack. underWay reports that it is being posted, and may be there already.
func (g Register) ReportTS(
	ctx context.Context, session string, revision int,
) (ts string, underWay bool, err error) {
	err = g.DB.Pool.QueryRow(ctx,
		`select coalesce(o.ts, ''), o.tried_at is not null and o.posted_at is null and o.refused is null
		from reports r join lines l on l.session_id = r.session_id and l.text = r.text
			join outbox o on o.line_id = l.id
		where r.session_id = $1 and r.revision = $2 order by o.id limit 1`, session, revision).Scan(&ts,
		&underWay)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	return ts, underWay, err
}
