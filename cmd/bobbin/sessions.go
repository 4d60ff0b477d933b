package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/bobbinhq/bobbin/workflow/store"
)

type sessionsCommand struct {
	databaseFlags
	ID    string `arg:"" optional:"" help:"Show this session whole: lines, tasks, attempts, decisions, pushes."`
	Limit int    `default:"30" help:"How many to list."`
}

// Run lists the newest sessions, or shows one.
func (c *sessionsCommand) Run(ctx context.Context, con console, log *slog.Logger) error {
	return c.with(ctx, con, log, func(s *store.Store) error {
		if c.ID != "" {
			return showSession(ctx, con, s, c.ID)
		}
		return listSessions(ctx, con, s, c.Limit)
	})
}

func listSessions(ctx context.Context, con console, s *store.Store, limit int) error {
	sessions, err := s.Sessions(ctx, limit)
	if err != nil {
		return err
	}
	if len(sessions) == 0 {
		fmt.Fprintln(con.Out, "No sessions yet. Mention the bot in a channel that it is in.")
		return nil
	}
	w := tabwriter.NewWriter(con.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tPHASE\tREPOSITORY\tUPDATED\tUSD\tREQUEST")
	for _, x := range sessions {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%.2f\t%s\n", x.ID, x.Phase, x.Repository, x.Updated.Format(time.DateTime), x.SpentUSD, x.Title)
	}
	return w.Flush()
}

func showSession(ctx context.Context, con console, s *store.Store, id string) error {
	x, err := s.Session(ctx, id)
	if err != nil {
		return fmt.Errorf("no session %q; `bobbin sessions` lists them", id)
	}
	fmt.Fprintf(con.Out, "%s\n%s, %s at %.7s, asked by %s, thread %s/%s\n", x.Title, x.Phase, x.Repository, x.BaseCommit, x.Requester, x.Thread.Channel, x.Thread.TS)
	if x.Branch != "" {
		fmt.Fprintf(con.Out, "branch %s %.7s\n", x.Branch, x.Head)
	}
	lines, err := s.Lines(ctx, id)
	if err != nil {
		return err
	}
	fmt.Fprintln(con.Out)
	for _, l := range lines {
		fmt.Fprintf(con.Out, "%s  [%s] %s\n", l.At.Format(time.TimeOnly), l.Agent, strings.ReplaceAll(l.Text, "\n", "\n          "))
	}
	return showWork(ctx, con, s, id)
}

func showWork(ctx context.Context, con console, s *store.Store, id string) error {
	tasks, err := s.Tasks(ctx, id, "")
	if err != nil {
		return err
	}
	for _, k := range tasks {
		fmt.Fprintf(con.Out, "\ntask %d %s %s: %s\n", k.Number, k.Label(), k.State, k.Description)
		attempts, err := s.Attempts(ctx, k.ID)
		if err != nil {
			return err
		}
		for _, a := range attempts {
			fmt.Fprintf(con.Out, "  attempt %d, held %t: %s\n", a.Number, a.Held, strings.ReplaceAll(a.Summary, "\n", "\n    "))
		}
	}
	return nil
}

type auditCommand struct {
	databaseFlags
	ID string `arg:"" help:"The session."`
}

// Run prints one session's decisions as JSON lines.
func (c *auditCommand) Run(ctx context.Context, con console, log *slog.Logger) error {
	return c.with(ctx, con, log, func(s *store.Store) error {
		session, err := s.Session(ctx, c.ID)
		if err != nil {
			return fmt.Errorf("no session %q; `bobbin sessions` lists them", c.ID)
		}
		out := json.NewEncoder(con.Out)
		record := func(what string, value any) error {
			return out.Encode(map[string]any{"what": what, "value": value})
		}
		if err := record("session", session); err != nil {
			return err
		}
		decisions, err := s.Decisions(ctx, c.ID)
		if err != nil {
			return err
		}
		for _, d := range decisions {
			if err := record("decision", d); err != nil {
				return err
			}
		}
		pushes, err := s.Pushes(ctx, c.ID)
		if err != nil {
			return err
		}
		for _, p := range pushes {
			if err := record("push", p); err != nil {
				return err
			}
		}
		return nil
	})
}
