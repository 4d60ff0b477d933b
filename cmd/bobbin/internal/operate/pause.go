package operate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/user"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

// pauseFlags name what is paused or resumed.
type pauseFlags struct {
	StorageFlags
	What string `arg:"" optional:"" help:"A repository's name in the configuration, or a channel's id (C…)."`
	All  bool   `help:"Everything."`
}

var channelID = regexp.MustCompile(`^[CGD][A-Z0-9]{7,}$`)

// named returns the pause that the flags name. It returns false if they name nothing, or both --all and a
// name.
func (p pauseFlags) named() (store.Pause, bool) {
	switch {
	case p.All == (p.What != ""):
		return store.Pause{}, false
	case p.All:
		return store.Pause{Scope: store.PauseAll}, true
	case channelID.MatchString(p.What):
		return store.Pause{Scope: store.PauseChannel, Name: p.What}, true
	}
	return store.Pause{Scope: store.PauseRepository, Name: p.What}, true
}

var errNothingNamed = errors.New("name a repository or a channel's id, or everything with --all")

// Pause is the subcommand bobbin pause.
type Pause struct {
	pauseFlags
	ConfigFlag
	List bool `help:"Only list what is paused."`
	JSON bool `name:"json" help:"The list as JSON."`
}

// Help returns the detailed text of bobbin pause --help.
func (Pause) Help() string {
	return `Works while a bot runs; name the bot's own data directory or database. Running work stops
within a second and is kept, and so are messages that people write meanwhile. Each thread is told so
once. bobbin resume continues all of it where it was. Settings stay as they are. A repository that is
not in the configuration is refused; so is one that no session was about if another is called nearly so.`
}

// Validate checks the flags after they are parsed.
func (c *Pause) Validate() error {
	if _, ok := c.named(); !ok && !c.List && !c.JSON {
		return errNothingNamed
	}
	if strings.HasPrefix(c.What, "#") {
		return errors.New("name the channel's id (C…): it is at the bottom of its View channel details")
	}
	if c.List && (c.All || c.What != "") {
		return errors.New("--list takes no other argument")
	}
	return nil
}

// Run pauses what the flags name, or lists what is paused.
func (c *Pause) Run(ctx context.Context, con cli.Console, log *slog.Logger) error {
	return c.ReadDatabase(ctx, con, log, func(s *store.Store) error {
		p, ok := c.named()
		if !ok {
			return c.list(ctx, con, s)
		}
		seen, err := c.checkName(ctx, con, s, p)
		if err != nil {
			return err
		}
		p.By = operator()
		fresh, err := store.SetPause(ctx, s.DB, p)
		switch {
		case err != nil:
			return err
		case !fresh:
			fmt.Fprintf(con.Out, "Paused already: %s.\n", p)
		default:
			fmt.Fprintf(con.Out, "Paused: %s. Resume it with: bobbin resume %s\n", p, c.again())
		}
		if !seen {
			fmt.Fprintf(con.Err, "bobbin: no session was about %s yet; "+
				"check that the configuration, or Slack, calls it so\n", p)
		}
		return nil
	})
}

// checkName refuses a repository that is not configured, or that is probably misspelt. It reports whether a
// session was about what p pauses, or whether the configuration names it.
func (c *Pause) checkName(ctx context.Context, con cli.Console, s *store.Store, p store.Pause) (bool, error) {
	if p.Scope != store.PauseRepository {
		return store.PauseSeen(ctx, s.DB, p)
	}
	configured, err := c.CheckRepository(con, p.Name)
	if configured || err != nil {
		return configured, err
	}
	known, err := view.Repositories(ctx, s.DB)
	if err != nil || slices.Contains(known, p.Name) {
		return true, err
	}
	if near := cli.DidYouMean(p.Name, known); near != "" {
		return false, cli.UsageError{
			Err: fmt.Errorf("bobbin: no session was about a repository %q%s", p.Name, near),
		}
	}
	return false, nil
}

func (p pauseFlags) again() string {
	if p.All {
		return "--all"
	}
	return p.What
}

func (c *Pause) list(ctx context.Context, con cli.Console, s *store.Store) error {
	list, err := store.ListPauses(ctx, s.DB)
	if err != nil {
		return err
	}
	if c.JSON {
		return cli.WriteJSON(con.Out, list, "")
	}
	if len(list) == 0 {
		fmt.Fprintln(con.Out, "Nothing is paused.")
		return nil
	}
	w := tabwriter.NewWriter(con.Out, 0, 0, 2, ' ', 0)
	for _, p := range list {
		fmt.Fprintf(w, "%s\tby %s\tsince %s\n", cli.WithoutControls(p.String()), cli.WithoutControls(p.By),
			p.At.Format(time.DateTime))
	}
	return w.Flush()
}

// operator returns the name of the account that runs the command.
func operator() string {
	who, err := user.Current()
	if err != nil {
		return "somebody"
	}
	return who.Username
}

// Resume is the subcommand bobbin resume.
type Resume struct{ pauseFlags }

// Help returns the detailed text of bobbin resume --help.
func (Resume) Help() string {
	return `Ends a pause that bobbin pause began, and says what else stays paused; bobbin pause --list lists
all. A pause of everything ends with --all, which leaves pauses of repositories and channels as they are.
The bot continues within seconds.`
}

// Validate checks the flags after they are parsed.
func (r *Resume) Validate() error {
	if _, ok := r.named(); !ok {
		return errNothingNamed
	}
	return nil
}

// Run ends the pause that the flags name.
func (r *Resume) Run(ctx context.Context, con cli.Console, log *slog.Logger) error {
	return r.ReadDatabase(ctx, con, log, func(s *store.Store) error {
		p, _ := r.named()
		was, err := store.LiftPause(ctx, s.DB, p)
		if err != nil {
			return err
		}
		rest, err := store.ListPauses(ctx, s.DB)
		if err != nil {
			return err
		}
		if !was {
			return cli.UsageError{Err: fmt.Errorf("bobbin: %s is not paused%s", p, otherPauses(p, rest))}
		}
		fmt.Fprintf(con.Out, "Resumed: %s.\n", p)
		for _, other := range rest {
			fmt.Fprintf(con.Out, "Still paused: %s, by %s. Resume it with: bobbin resume %s\n",
				cli.WithoutControls(other.String()), cli.WithoutControls(other.By),
				cli.WithoutControls(cmp.Or(other.Name, "--all")))
		}
		return nil
	})
}

// otherPauses returns what is paused in place of p, with the name that is most like that of p.
func otherPauses(p store.Pause, rest []store.Pause) string {
	if len(rest) == 0 {
		return "; nothing is"
	}
	var names, all []string
	for _, other := range rest {
		all = append(all, cli.WithoutControls(other.String()))
		if other.Scope == p.Scope {
			names = append(names, other.Name)
		}
	}
	return cli.DidYouMean(p.Name, names) + "; paused: " + strings.Join(all, ", ")
}
