package operate

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

// Spending is the subcommand bobbin spending.
type Spending struct {
	StorageFlags
	SlackFlag
	By   []string  `help:"One or more of month, day, channel, person, repository." default:"month" placeholder:"WORD,…"`
	From time.Time `help:"The first day, as 2026-03-01." format:"2006-01-02" placeholder:"DAY"`
	To   time.Time `help:"The last day." format:"2006-01-02" placeholder:"DAY"`
	CSV  bool      `name:"csv" help:"As CSV."`
	JSON bool      `name:"json" help:"As JSON."`
}

// Help returns the detailed text of bobbin spending --help.
func (Spending) Help() string {
	return `Days are in UTC. The cost counts the models whose prices are known: from the configuration,
or from the table that comes with Bobbin. "unpriced" are the tokens of the others. People are shown by
their names, as in bobbin sessions ID; channels are shown by their ids in Slack, and so are people
with --csv and --json. Sessions that bobbin clean removed completely
(keep.decisions_days) no longer count. For example: bobbin spending --by month,repository --csv`
}

// Validate checks the flags after they are parsed.
func (c *Spending) Validate() error {
	for i, word := range c.By {
		if !slices.Contains(view.SpendingBy, word) || slices.Contains(c.By[:i], word) {
			return fmt.Errorf("--by takes each of %s at most once%s", strings.Join(view.SpendingBy, ", "),
				cli.DidYouMean(word, view.SpendingBy))
		}
	}
	if c.CSV && c.JSON {
		return errors.New("choose one of --csv and --json")
	}
	if !c.From.IsZero() && !c.To.IsZero() && c.To.Before(c.From) {
		return errors.New("--to is before --from")
	}
	return nil
}

// Run prints what was spent, as a table, CSV or JSON.
func (c *Spending) Run(ctx context.Context, con cli.Console, log *slog.Logger) error {
	return c.ReadDatabase(ctx, con, log, func(s *store.Store) error {
		spent, err := view.Spending(ctx, s.DB, c.By, c.From, c.To)
		switch {
		case err != nil:
			return err
		case c.JSON:
			return c.writeJSON(con, spent)
		case c.CSV:
			return c.writeCSV(con, spent)
		case len(spent) == 0:
			fmt.Fprintln(con.Out, "Nothing was spent.")
			return nil
		}
		name, err := c.names(ctx, con, s)
		if err != nil {
			return err
		}
		return c.writeTable(con, spent, name)
	})
}

// writeTable prints a table for people, with the names of people.
func (c *Spending) writeTable(con cli.Console, spent []view.Spent, name func(id string) string) error {
	w := tabwriter.NewWriter(con.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.ToUpper(strings.Join(append(slices.Clone(c.By), spentColumns...), "\t")))
	person := slices.Index(c.By, "person")
	for _, x := range spent {
		if person >= 0 && x.Keys[person] != "" { // an app's alert is of nobody
			x.Keys[person] = name(x.Keys[person])
		}
		usd := strings.Replace(workflow.Money(x.USD), "$", "", 1)
		row := append(x.Keys, figures(x, usd)...)
		fmt.Fprintln(w, cli.WithoutControls(strings.Join(row, "\t")))
	}
	return w.Flush()
}

var spentColumns = []string{"sessions", "usd", "tokens", "unpriced", "commands", "minutes"}

// figures returns the columns of one row, with that amount of money.
func figures(x view.Spent, usd string) []string {
	return []string{
		strconv.Itoa(x.Sessions), usd, strconv.FormatInt(x.Tokens, 10),
		strconv.FormatInt(x.Unpriced, 10), strconv.FormatInt(x.Commands, 10),
		strconv.FormatFloat(x.Worked.Minutes(), 'f', 1, 64),
	}
}

func (c *Spending) writeCSV(con cli.Console, spent []view.Spent) error {
	w := csv.NewWriter(con.Out)
	if err := w.Write(append(slices.Clone(c.By), spentColumns...)); err != nil {
		return err
	}
	for _, x := range spent {
		usd := strconv.FormatFloat(x.USD, 'f', 6, 64)
		if x.USD == 0 && x.Unpriced > 0 {
			usd = "" // nobody knows
		}
		if err := w.Write(append(x.Keys, figures(x, usd)...)); err != nil {
			return err
		}
	}
	w.Flush()
	return w.Error()
}

// A SpentRow is one row of bobbin spending --json. It has the keys that --by names.
type SpentRow struct {
	Month      *string `json:"month,omitempty"`
	Day        *string `json:"day,omitempty"`
	Channel    *string `json:"channel,omitempty"`
	Person     *string `json:"person,omitempty"`
	Repository *string `json:"repository,omitempty"`

	Sessions int
	USD      *float64 // null: nobody knows, since no price is known
	Tokens   int64
	Unpriced int64 // of Tokens: those of models without a price
	Commands int64
	Minutes  float64
}

func (c *Spending) writeJSON(con cli.Console, spent []view.Spent) error {
	var list []SpentRow
	for _, x := range spent {
		row := SpentRow{
			Sessions: x.Sessions,
			Tokens:   x.Tokens,
			Unpriced: x.Unpriced,
			Commands: x.Commands,
			Minutes:  x.Worked.Minutes(),
		}
		key := map[string]**string{
			"month": &row.Month, "day": &row.Day, "channel": &row.Channel, "person": &row.Person,
			"repository": &row.Repository,
		}
		if x.USD > 0 || x.Unpriced == 0 {
			row.USD = &x.USD
		}
		for i, word := range c.By {
			*key[word] = &x.Keys[i]
		}
		list = append(list, row)
	}
	return cli.WriteJSON(con.Out, list, "")
}
