package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
)

type auditCommand struct {
	placeFlags
	ID     string `arg:"" optional:"" help:"The session."`
	Verify bool   `help:"Print nothing of it, but check that no record of what was decided was changed, removed or put in by hand: in this session, or in all of them."`
}

// Help is what bobbin audit --help teaches.
func (auditCommand) Help() string {
	return `Prints a JSON object a line, {"what": …, "value": …}: the session, each report as it was shown with its hash,
each approval, each permission with the person and the message that gave it, each decision allowed or refused, each task,
each attempt that was verified, each push.

With --verify: reports, permissions, approvals, decisions and pushes are recorded once more in a chain of hashes, in the transaction
that made them. It is checked against itself and against the rows; the first that does not hold is named, and the exit
code is not zero. The last hash is printed: one that was noted elsewhere shows later that nothing before it was rewritten.`
}

// Validate is called when the flags are read.
func (c *auditCommand) Validate() error {
	if c.ID == "" && !c.Verify {
		return errors.New("name a session, or check all of them with --verify; `bobbin sessions` lists them")
	}
	return nil
}

// Run prints one session's decisions and deeds as JSON lines.
func (c *auditCommand) Run(ctx context.Context, con console, log *slog.Logger) error {
	return c.look(ctx, con, log, func(s *store.Store) error {
		if c.Verify {
			return verifyAudit(ctx, con.Out, s, c.ID)
		}
		session, err := findSession(ctx, s, c.ID)
		if err != nil {
			return err
		}
		a := &audit{out: json.NewEncoder(con.Out), store: s, session: session}
		a.record("session", session)
		for _, part := range []func(context.Context) error{a.reports, a.permissions, a.questions, a.decisions, a.inquiries, a.tasks, a.commands, a.pushes} {
			if err := part(ctx); err != nil {
				return err
			}
		}
		return a.err
	})
}

// verifyAudit fails with the first record that does not hold.
func verifyAudit(ctx context.Context, out io.Writer, s *store.Store, id string) error {
	if id != "" {
		if _, err := findSession(ctx, s, id); err != nil {
			return err
		}
	}
	a, err := s.VerifyAudit(ctx, id)
	if err != nil {
		return err
	}
	if a.Flaw != nil {
		return fmt.Errorf("the audit does not hold: %s", a.Flaw)
	}
	fmt.Fprintf(out, "The audit holds: %d sessions, %d records.\nhead %s\n", a.Sessions, a.Records, cmp.Or(a.Head, "none"))
	return nil
}

// An audit writes records; its first error stays.
type audit struct {
	out     *json.Encoder
	store   *store.Store
	session workflow.Session
	err     error
}

func (a *audit) record(what string, value any) {
	if a.err == nil {
		a.err = a.out.Encode(struct {
			What  string `json:"what"`
			Value any    `json:"value"`
		}{what, value})
	}
}

func (a *audit) reports(ctx context.Context) error {
	for revision := 1; revision <= a.session.Revision; revision++ {
		r, err := a.store.Report(ctx, a.session.ID, revision)
		if err != nil {
			return fmt.Errorf("report %d of %s: %w", revision, a.session.ID, err)
		}
		a.record("report", struct {
			workflow.Report
			Hash string
		}{r, r.Hash()})
		approval, err := a.store.Approval(ctx, a.session.ID, revision)
		if err != nil {
			return err
		}
		if approval != nil {
			a.record("approval", approval)
		}
	}
	return nil
}

// each records a list that was read, or says why it was not.
func each[T any](a *audit, what string, list []T, err error) error {
	for _, value := range list {
		a.record(what, value)
	}
	return err
}

// permissions are each yes that somebody gave, with the message that it was made from.
func (a *audit) permissions(ctx context.Context) error {
	list, err := a.store.Permissions(ctx, a.session.ID)
	return each(a, "permission", list, err)
}

func (a *audit) questions(ctx context.Context) error {
	list, err := a.store.Questions(ctx, a.session.ID)
	return each(a, "question", list, err)
}

func (a *audit) decisions(ctx context.Context) error {
	list, err := a.store.Decisions(ctx, a.session.ID)
	return each(a, "decision", list, err)
}

func (a *audit) inquiries(ctx context.Context) error {
	list, err := a.store.Inquiries(ctx, a.session.ID)
	return each(a, "inquiry", list, err)
}

func (a *audit) tasks(ctx context.Context) error {
	tasks, err := a.store.Tasks(ctx, a.session.ID, "")
	for _, k := range tasks {
		a.record("task", k)
		attempts, err := a.store.Attempts(ctx, k.ID)
		if err := each(a, "attempt", attempts, err); err != nil {
			return err
		}
		checks, err := a.store.Checks(ctx, k.ID)
		if err := each(a, "check", checks, err); err != nil {
			return err
		}
	}
	return err
}

// commands are what agents had run, with how it ended.
func (a *audit) commands(ctx context.Context) error {
	list, err := a.store.Commands(ctx, a.session.ID)
	return each(a, "command", list, err)
}

func (a *audit) pushes(ctx context.Context) error {
	list, err := a.store.Pushes(ctx, a.session.ID)
	return each(a, "push", list, err)
}
