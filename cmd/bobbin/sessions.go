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

type sessionsCommand struct {
	operate.StorageFlags
	operate.SlackFlag
	ID    string `arg:"" optional:"" help:"Show this session in full: lines, tasks, attempts, decisions, pushes."`
	JSON  bool   `name:"json" help:"The list as JSON."`
	Limit int    `default:"30" help:"How many to list (${default})." placeholder:"N"`
}

// Help returns the detailed text of bobbin sessions --help.
func (sessionsCommand) Help() string {
	return `Lists the sessions that changed last, or shows one in full: what was said, its tasks with
their attempts, who decided what, what was pushed, what it cost. People are shown by their names:
those who decided something are known, and with SLACK_BOT_TOKEN set, Slack is asked for the others.
Works while a bot runs; name the bot's own data directory or database.`
}

// Validate checks the flags after they are parsed.
func (sc *sessionsCommand) Validate() error {
	if sc.JSON && sc.ID != "" {
		return errors.New("--json is for the list; bobbin audit ID prints one session as JSON lines")
	}
	if sc.Limit < 1 || sc.Limit > 10000 {
		return errors.New("--limit has to be between 1 and 10000")
	}
	return nil
}

// Run lists the sessions that changed last, or shows one session.
func (sc *sessionsCommand) Run(ctx context.Context, con cli.Console, log *slog.Logger) error {
	return sc.ReadDatabase(ctx, con, log, func(s *store.Store) error {
		switch {
		case sc.JSON:
			return sessions.ListJSON(ctx, con.Out, s, sc.Limit)
		case sc.ID != "":
			return sessions.Show(ctx, con.Out, s, sc.ID, sc.NameOf(ctx, con))
		}
		return sessions.List(ctx, con.Out, s, sc.Limit)
	})
}
