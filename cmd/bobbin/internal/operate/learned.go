package operate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/lessons"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

// Learned is the subcommand bobbin learned.
type Learned struct {
	StorageFlags
	ConfigFlag
	SlackFlag
	Repository string `arg:"" optional:"" help:"Only lessons about this repository."`
	JSON       bool   `name:"json" help:"As JSON."`
	Forget     int64  `help:"Forget the lesson with that number." placeholder:"N"`
}

// Help returns the detailed text of bobbin learned --help.
func (Learned) Help() string {
	return `Lists what agents are told about a repository from earlier sessions: what the program
itself saw (which test command worked, that tests do not start), and what members said. Works while
a bot runs. In a thread about the repository an approver says "remember for this
repository: …", "forget lesson N" or "correct lesson N: …", or changes them in the App Home;
"lessons" offers them as a change to its AGENTS.md. Each change is in the audit of the session that
the lesson comes from. People are shown by their names, as in bobbin sessions ID; --json has their
ids in Slack.`
}

// Run lists the lessons, or forgets one with --forget.
func (c *Learned) Run(ctx context.Context, con cli.Console, log *slog.Logger) error {
	return c.ReadDatabase(ctx, con, log, func(s *store.Store) error {
		if c.Forget != 0 {
			return c.forget(ctx, con, s)
		}
		all, err := lessons.Of(ctx, s.DB, c.Repository, "")
		switch {
		case err != nil:
			return err
		case len(all) == 0 && c.Repository != "":
			return c.noneOf(ctx, con, s)
		case c.JSON:
			return cli.WriteJSON(con.Out, all, "")
		case len(all) == 0:
			fmt.Fprintln(con.Out, "Nothing was learned yet.")
			return nil
		}
		name, err := c.names(ctx, con, s)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(con.Out, 0, 0, 2, ' ', 0)
		fmt.Fprintln(w, "N\tREPOSITORY\tLEARNED\tBY\tSESSION\tLESSON")
		for _, l := range all {
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\t%s\t%s\n", l.ID, cli.WithoutControls(l.Repository),
				l.At.Format(time.DateOnly), name(l.Person), cmp.Or(l.Session, "-"),
				cli.Indent(l.Text, 0))
		}
		return w.Flush()
	})
}

// noneOf says that nothing was learned of the repository, or refuses it if there is none of that name.
func (c *Learned) noneOf(ctx context.Context, con cli.Console, s *store.Store) error {
	if _, err := c.CheckRepository(con, c.Repository); err != nil {
		return err
	}
	known, err := view.Repositories(ctx, s.DB)
	if err != nil {
		return err
	}
	if c.JSON {
		return cli.WriteJSON(con.Out, []lessons.Lesson{}, "")
	}
	near := ""
	if !slices.Contains(known, c.Repository) {
		near = cli.DidYouMean(c.Repository, known)
	}
	fmt.Fprintf(con.Out, "Nothing was learned about %s yet%s.\n", cli.WithoutControls(c.Repository), near)
	return nil
}

// Validate checks the flags after they are parsed.
func (c *Learned) Validate() error {
	if c.Forget != 0 && c.JSON {
		return errors.New("--json is for the list")
	}
	return nil
}

func (c *Learned) forget(ctx context.Context, con cli.Console, s *store.Store) error {
	all, err := lessons.Of(ctx, s.DB, c.Repository, "")
	if err != nil {
		return err
	}
	at := slices.IndexFunc(all, func(l lessons.Lesson) bool { return l.ID == c.Forget })
	if at < 0 {
		return cli.UsageError{
			Err: fmt.Errorf("bobbin: there is no lesson %d; bobbin learned lists them", c.Forget),
		}
	}
	l := all[at]
	if err := lessons.Correct(ctx, s.DB, lessons.Correction{
		ID:    l.ID,
		Was:   l.Text,
		Where: "by " + operator() + ", with bobbin learned --forget",
	}); err != nil {
		return err
	}
	fmt.Fprintf(con.Out, "Forgotten about %s: %s\n", cli.WithoutControls(l.Repository), cli.Indent(l.Text, 0))
	return nil
}
