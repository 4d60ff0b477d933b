// Package sessions prints sessions for an operator from the rows of the database: a list, one whole
// session, or its audit as JSON lines. It only reads. It removes control characters for the terminal from
// what people and models wrote.
package sessions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/lessons"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

func List(ctx context.Context, out io.Writer, s *store.Store, limit int) error {
	sessions, err := s.Sessions(ctx, limit)
	if err != nil {
		return err
	}
	if len(sessions) == 0 {
		fmt.Fprintln(out, "No sessions yet. Mention the bot in a channel that it is in.")
		return nil
	}
	pauses, err := store.ListPauses(ctx, s.DB)
	if err != nil {
		return err
	}
	names, err := newNamer(ctx, s, nil)
	if err != nil {
		return err
	}
	if err := names.readFirst(ctx, s, sessions...); err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "ID\tSTATE\tREPOSITORY\tUPDATED\tCOST\tREQUEST")
	for _, x := range sessions {
		state := x.State(store.Paused(pauses, x))
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\n", x.ID, state, cmp.Or(x.Repository, "-"),
			x.Updated.Format(time.DateTime),
			x.Cost(), plaintext.CutLine(plaintext.OneLine(title(x, names)), 80))
	}
	return w.Flush()
}

// title returns the title of a session, with names for ids. A session in which nothing was begun has none: it
// is shown by what the person wrote.
func title(x workflow.Session, names namer) string {
	if name := x.Name(); name != "" {
		return cli.WithoutControls(workflow.Unmark(names.named(name)))
	}
	first, wrote := names.first[x.ID]
	words := strings.TrimSpace(leadingMention.ReplaceAllString(strings.TrimSpace(first), ""))
	switch {
	case words != "":
		return cli.WithoutControls(plaintext.CutLine(plaintext.OneLine(names.readable(words)), 120))
	case wrote: // it is answered with help, or refused
		return "(a mention alone)"
	}
	return "(no words)"
}

// ListJSON prints the sessions that changed last as a JSON array, with the same fields as in the audit.
func ListJSON(ctx context.Context, out io.Writer, s *store.Store, limit int) error {
	list, err := s.Sessions(ctx, limit)
	if err != nil {
		return err
	}
	return cli.WriteJSON(out, list, "")
}

// mostSuggested is how many sessions, the newest first, a mistyped id is compared with.
const mostSuggested = 10_000

// findSession returns a session, or an error that says that there is none.
func findSession(ctx context.Context, s *store.Store, id string) (workflow.Session, error) {
	x, err := s.Session(ctx, id)
	if errors.Is(err, pgx.ErrNoRows) {
		ids, err := view.NewestIDs(ctx, s.DB, mostSuggested)
		if err != nil {
			return x, err
		}
		return x, fmt.Errorf("there is no session %q%s; `bobbin sessions` lists them", id,
			cli.DidYouMean(id, ids))
	}
	return x, err
}

// Show prints a session in full. nameOf returns a person's name by the id in Slack, for names that the
// database does not have; nil: ids stay ids.
func Show(
	ctx context.Context, out io.Writer, s *store.Store, id string, nameOf func(id string) string,
) error {
	x, err := findSession(ctx, s, id)
	if err != nil {
		return err
	}
	names, err := newNamer(ctx, s, nameOf)
	if err != nil {
		return err
	}
	if err := names.readFirst(ctx, s, x); err != nil {
		return err
	}
	phase := string(x.Phase)
	if x.IsEmpty() {
		phase += " (" + x.State(false) + ")"
	}
	fmt.Fprintf(out, "%s\n", title(x, names))
	fmt.Fprintf(out, "phase %s, asked by %s, thread %s/%s, cost %s, begun %s\n", phase,
		names.name(x.Requester),
		x.Thread.Channel, x.Thread.TS, x.Cost(), x.Created.Format(time.DateTime))
	if x.Repository != "" {
		fmt.Fprintf(out, "repository %s at %.7s\n", x.Repository, cmp.Or(x.BaseCommit, "-"))
	}
	if x.Branch != "" {
		fmt.Fprintf(out, "branch %s at %.7s\n", x.Branch, cmp.Or(x.Head, "-"))
	}
	if err := showThread(ctx, out, s, id, names); err != nil {
		return err
	}
	if err := showTasks(ctx, out, s, id); err != nil {
		return err
	}
	if err := showFolds(ctx, out, s, id); err != nil {
		return err
	}
	if err := showDecisions(ctx, out, s, id, names); err != nil {
		return err
	}
	return showLessons(ctx, out, s, x, names)
}

// showLessons prints the lessons about the session's repository, and marks those that come from the
// session.
func showLessons(
	ctx context.Context, out io.Writer, s *store.Store, x workflow.Session, names namer,
) error {
	if x.Repository == "" {
		return nil
	}
	all, err := lessons.Of(ctx, s.DB, x.Repository, "")
	if err != nil || len(all) == 0 {
		return err
	}
	fmt.Fprintf(out, "\nlearned of %s (correct it in the App Home or in a thread; "+
		"bobbin learned --forget N):\n", cli.WithoutControls(x.Repository))
	for _, l := range all {
		from := names.name(l.Person) + ", " + l.At.Format(time.DateOnly)
		if l.Session == x.ID {
			from += ", in this session"
		}
		fmt.Fprintf(out, "  %d. %s (%s; %s)\n", l.ID, cli.Indent(workflow.Unmark(l.Text), 4), from,
			cli.Indent(l.Source, 4))
	}
	return nil
}

func showTasks(ctx context.Context, out io.Writer, s *store.Store, id string) error {
	tasks, err := s.Tasks(ctx, id, "")
	if err != nil {
		return err
	}
	for _, k := range tasks {
		fmt.Fprintf(out, "\ntask %d %s %s: %s\n", k.Number, k.Label(), k.State,
			cli.Indent(workflow.Unmark(k.Description), 2))
		attempts, err := s.Attempts(ctx, k.ID)
		if err != nil {
			return err
		}
		for _, a := range attempts {
			held := "failed"
			if a.Held {
				held = "held"
			}
			fmt.Fprintf(out, "  attempt %d %s: %s\n", a.Number, held, cli.Indent(a.Summary, 4))
		}
	}
	return nil
}

// showFolds prints when the conversations of agents were shortened because they were too long for their
// models.
func showFolds(ctx context.Context, out io.Writer, s *store.Store, id string) error {
	folds, err := view.Folds(ctx, s.DB, id)
	if len(folds) > 0 {
		fmt.Fprintln(out, "\nconversations that grew too long for their models:")
	}
	for _, f := range folds {
		of := f.Who
		if f.Task > 0 {
			of += fmt.Sprintf(" (task %d)", f.Task)
		}
		fmt.Fprintf(out, "%s  %s %s\n", f.At.Format(time.TimeOnly), of, f.Title)
	}
	return err
}

// showDecisions prints who decided what, and which pushes to the remote followed.
func showDecisions(ctx context.Context, out io.Writer, s *store.Store, id string, names namer) error {
	decisions, err := s.Decisions(ctx, id)
	if err != nil {
		return err
	}
	if len(decisions) > 0 {
		fmt.Fprintln(out, "\ndecisions:")
	}
	for _, d := range decisions {
		verdict := "refused"
		if d.Allowed {
			verdict = "allowed"
		}
		fmt.Fprintf(out, "  %s %s for %s", d.What, verdict, names.name(d.User))
		if d.Revision > 0 {
			fmt.Fprintf(out, ", revision %d", d.Revision)
		}
		fmt.Fprintln(out, reasonSuffix(names.named(d.What.ShownReason(d.Reason))))
	}
	pushes, err := s.Pushes(ctx, id)
	if err != nil {
		return err
	}
	if len(pushes) > 0 {
		fmt.Fprintln(out, "\npushes:")
	}
	for _, p := range pushes {
		fmt.Fprintf(out, "  %s at %.7s %s%s\n", p.Branch, p.Commit, p.State, reasonSuffix(p.Reason))
	}
	return nil
}

func reasonSuffix(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + cli.Indent(reason, 4)
}
