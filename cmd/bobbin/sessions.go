package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
)

type sessionsCommand struct {
	placeFlags
	ID    string `arg:"" optional:"" help:"Show this session whole: lines, tasks, attempts, decisions, pushes."`
	Limit int    `default:"30" help:"How many to list (${default})." placeholder:"N"`
}

// Help is what bobbin sessions --help teaches.
func (sessionsCommand) Help() string {
	return `Lists the sessions that changed last, or shows one whole: what was said, its tasks with their attempts, who
decided what, what was pushed, what it cost. Works beside a running bot; name the bot's own data directory or database.`
}

// Validate is called when the flags are read.
func (c *sessionsCommand) Validate() error {
	if c.Limit < 1 || c.Limit > 10000 {
		return errors.New("--limit has to be between 1 and 10000")
	}
	return nil
}

// Run lists the newest sessions, or shows one.
func (c *sessionsCommand) Run(ctx context.Context, con console, log *slog.Logger) error {
	return c.look(ctx, con, log, func(s *store.Store) error {
		if c.ID != "" {
			return showSession(ctx, con.Out, s, c.ID)
		}
		return listSessions(ctx, con.Out, s, c.Limit)
	})
}

func listSessions(ctx context.Context, out io.Writer, s *store.Store, limit int) error {
	sessions, err := s.Sessions(ctx, limit)
	if err != nil {
		return err
	}
	if len(sessions) == 0 {
		fmt.Fprintln(out, "No sessions yet. Mention the bot in a channel that it is in.")
		return nil
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tPHASE\tREPOSITORY\tUPDATED\tUSD\tREQUEST")
	for _, x := range sessions {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%.2f\t%s\n", x.ID, x.Phase, cmp.Or(x.Repository, "-"), x.Updated.Format(time.DateTime), x.SpentUSD, plaintext.CutLine(plaintext.OneLine(plain(x.Title)), 80))
	}
	return w.Flush()
}

// findSession reads one session, or says that there is none.
func findSession(ctx context.Context, s *store.Store, id string) (workflow.Session, error) {
	x, err := s.Session(ctx, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return x, fmt.Errorf("there is no session %q; `bobbin sessions` lists them", id)
	}
	return x, err
}

func showSession(ctx context.Context, out io.Writer, s *store.Store, id string) error {
	x, err := findSession(ctx, s, id)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s\n", plain(x.Title))
	fmt.Fprintf(out, "phase %s, asked by %s, thread %s/%s, %.2f USD, begun %s\n", x.Phase, x.Requester, x.Thread.Channel, x.Thread.TS, x.SpentUSD, x.Created.Format(time.DateTime))
	if x.Repository != "" {
		fmt.Fprintf(out, "repository %s at %.7s\n", x.Repository, cmp.Or(x.BaseCommit, "-"))
	}
	if x.Branch != "" {
		fmt.Fprintf(out, "branch %s at %.7s\n", x.Branch, cmp.Or(x.Head, "-"))
	}
	lines, err := s.Lines(ctx, id)
	if err != nil {
		return err
	}
	fmt.Fprintln(out)
	if at, err := s.ClearedAt(ctx, id); err != nil {
		return err
	} else if !at.IsZero() {
		fmt.Fprintf(out, "what was said here was cleaned away on %s\n", at.Format(time.DateOnly))
	}
	for _, l := range lines {
		fmt.Fprintf(out, "%s  [%s] %s\n", l.At.Format(time.TimeOnly), l.Agent, indent(l.Text, 10))
	}
	if err := showTasks(ctx, out, s, id); err != nil {
		return err
	}
	return showDecisions(ctx, out, s, id)
}

func showTasks(ctx context.Context, out io.Writer, s *store.Store, id string) error {
	tasks, err := s.Tasks(ctx, id, "")
	if err != nil {
		return err
	}
	for _, k := range tasks {
		fmt.Fprintf(out, "\ntask %d %s %s: %s\n", k.Number, k.Label(), k.State, indent(k.Description, 2))
		attempts, err := s.Attempts(ctx, k.ID)
		if err != nil {
			return err
		}
		for _, a := range attempts {
			held := "failed"
			if a.Held {
				held = "held"
			}
			fmt.Fprintf(out, "  attempt %d %s: %s\n", a.Number, held, indent(a.Summary, 4))
		}
	}
	return nil
}

// showDecisions tells who decided what, and what came of it in the remote.
func showDecisions(ctx context.Context, out io.Writer, s *store.Store, id string) error {
	decisions, err := s.Decisions(ctx, id)
	if err != nil {
		return err
	}
	if len(decisions) > 0 {
		fmt.Fprintln(out, "\ndecisions:")
	}
	for _, d := range decisions {
		said := "refused"
		if d.Allowed {
			said = "allowed"
		}
		fmt.Fprintf(out, "  %s %s for %s", d.What, said, d.User)
		if d.Revision > 0 {
			fmt.Fprintf(out, ", revision %d", d.Revision)
		}
		fmt.Fprintln(out, because(d.Reason))
	}
	pushes, err := s.Pushes(ctx, id)
	if err != nil {
		return err
	}
	if len(pushes) > 0 {
		fmt.Fprintln(out, "\npushes:")
	}
	for _, p := range pushes {
		fmt.Fprintf(out, "  %s at %.7s %s%s\n", p.Branch, p.Commit, p.State, because(p.Reason))
	}
	return nil
}

func because(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + indent(reason, 4)
}

// plain takes out what would command a terminal: people and models wrote the text.
func plain(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, s)
}

func indent(s string, by int) string {
	return strings.ReplaceAll(plain(s), "\n", "\n"+strings.Repeat(" ", by))
}
