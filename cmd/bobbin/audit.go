package main

import (
	"context"
	"errors"
	"log/slog"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/operate"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/sessions"
	"github.com/bobbinhq/bobbin/workflow/store"
)

type auditCommand struct {
	operate.StorageFlags
	ID     string `arg:"" optional:"" help:"The session."`
	Verify bool   `help:"Print nothing, but check that nobody changed a record by hand (all sessions, or this one)."`
}

// Help returns the detailed text of bobbin audit --help.
func (auditCommand) Help() string {
	return `Prints one JSON object per line, {"what": …, "value": …}: the session, each report as it
was shown with its hash, each approval, each permission with the person and the message that gave it,
each decision allowed or refused, each task, each attempt that was verified, each push.

With --verify: reports, permissions, approvals, decisions and pushes are also recorded in a chain of
hashes, in the transaction that made them. The chain is checked against itself and against the rows.
The first record that does not match is named, and the exit code is not zero. The last hash is
printed: if you note it elsewhere, it shows later that nothing before it was rewritten.`
}

// Validate checks the arguments after they are parsed: it needs a session or --verify.
func (a *auditCommand) Validate() error {
	if a.ID == "" && !a.Verify {
		return errors.New("name a session, or check all of them with --verify; `bobbin sessions` lists them")
	}
	return nil
}

// Run prints what was decided and run in one session as JSON lines, or verifies the hash chain with
// --verify.
func (a *auditCommand) Run(ctx context.Context, con cli.Console, log *slog.Logger) error {
	return a.ReadDatabase(ctx, con, log, func(s *store.Store) error {
		if a.Verify {
			return sessions.VerifyAudit(ctx, con.Out, s, a.ID)
		}
		return sessions.WriteAudit(ctx, con.Out, s, a.ID)
	})
}
