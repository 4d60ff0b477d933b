package sessions

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/consent"
)

// WriteAudit prints what was decided and run in one session as JSON lines.
func WriteAudit(ctx context.Context, out io.Writer, s *store.Store, id string) error {
	session, err := findSession(ctx, s, id)
	if err != nil {
		return err
	}
	a := &auditWriter{out: out, store: s, session: session}
	a.writeRecord("session", session)
	for _, part := range []func(context.Context) error{
		a.writeReports, a.writePermissions, a.writeQuestions, a.writeDecisions, a.writeInquiries,
		a.writeTasks, a.writeCommands, a.writePushes,
	} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return a.err
}

// VerifyAudit checks the chain of hashes of one session, or of all if id is empty. It fails at the first
// record that does not match, and prints the last hash otherwise.
func VerifyAudit(ctx context.Context, out io.Writer, s *store.Store, id string) error {
	if id != "" {
		if _, err := findSession(ctx, s, id); err != nil {
			return err
		}
	}
	a, err := consent.VerifyAudit(ctx, s.DB, id)
	if err != nil {
		return err
	}
	if a.Flaw != nil {
		return fmt.Errorf("the audit does not hold: %s", a.Flaw)
	}
	fmt.Fprintf(out, "The audit holds: %d sessions, %d records.\nhead %s\n", a.Sessions, a.Records,
		cmp.Or(a.Head, "none"))
	return nil
}

// An auditWriter writes records as JSON lines; after an error of the output it writes nothing more.
type auditWriter struct {
	out     io.Writer
	store   *store.Store
	session workflow.Session
	err     error
}

func (a *auditWriter) writeRecord(what string, value any) {
	if a.err == nil {
		a.err = cli.WriteJSON(a.out, struct {
			What  string
			Value any
		}{what, value}, "")
	}
}

// A ReportWithHash is the record of a report, with the hash that approvals of it name.
type ReportWithHash struct {
	workflow.Report
	Hash string
}

func (a *auditWriter) writeReports(ctx context.Context) error {
	for revision := 1; revision <= a.session.Revision; revision++ {
		r, err := a.store.Report(ctx, a.session.ID, revision)
		if err != nil {
			return fmt.Errorf("report %d of %s: %w", revision, a.session.ID, err)
		}
		a.writeRecord("report", ReportWithHash{r, r.Hash()})
		approval, err := a.store.Approval(ctx, a.session.ID, revision)
		if err != nil {
			return err
		}
		if approval != nil {
			a.writeRecord("approval", approval)
		}
	}
	return nil
}

// writeList writes a record for each value of list, and returns err, the error of reading the list.
func writeList[T any](a *auditWriter, what string, list []T, err error) error {
	for _, value := range list {
		a.writeRecord(what, value)
	}
	return err
}

// writePermissions writes each permission that a person gave, with the message that it was taken from.
func (a *auditWriter) writePermissions(ctx context.Context) error {
	list, err := a.store.Permissions(ctx, a.session.ID)
	return writeList(a, "permission", list, err)
}

func (a *auditWriter) writeQuestions(ctx context.Context) error {
	list, err := a.store.Questions(ctx, a.session.ID)
	return writeList(a, "question", list, err)
}

func (a *auditWriter) writeDecisions(ctx context.Context) error {
	list, err := a.store.Decisions(ctx, a.session.ID)
	return writeList(a, "decision", list, err)
}

func (a *auditWriter) writeInquiries(ctx context.Context) error {
	list, err := a.store.Inquiries(ctx, a.session.ID)
	return writeList(a, "inquiry", list, err)
}

func (a *auditWriter) writeTasks(ctx context.Context) error {
	tasks, err := a.store.Tasks(ctx, a.session.ID, "")
	for _, k := range tasks {
		a.writeRecord("task", k)
		attempts, err := a.store.Attempts(ctx, k.ID)
		if err := writeList(a, "attempt", attempts, err); err != nil {
			return err
		}
		checks, err := a.store.Checks(ctx, k.ID)
		if err := writeList(a, "check", checks, err); err != nil {
			return err
		}
	}
	return err
}

// writeCommands writes the commands that agents ran, with their outcomes.
func (a *auditWriter) writeCommands(ctx context.Context) error {
	list, err := a.store.Commands(ctx, a.session.ID)
	return writeList(a, "command", list, err)
}

func (a *auditWriter) writePushes(ctx context.Context) error {
	list, err := a.store.Pushes(ctx, a.session.ID)
	return writeList(a, "push", list, err)
}
