package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// maxWhy is the maximum length of a reason in the table.
const maxWhy = 90

// Table writes a line for each attempt, and then the summary.
func (r Run) Table(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t,
		"TASK\tLANGUAGE\tKIND\tSOLVED\tLINES\tTESTS\tUPSTREAM\tHUNKS\tSTEPS\tPROMPT\tCACHED\tTIME\tUSD\tWHY")
	for _, x := range r.Results {
		fmt.Fprintln(t,
			strings.Join(append(x.cells(), plaintext.CutLine(plaintext.OneLine(x.Why), maxWhy)), "\t"))
	}
	t.Flush()
	fmt.Fprintln(w, "\n"+r.Summary())
}

// Summary returns the run in one line: tasks solved and skipped, steps, cached share and cost.
func (r Run) Summary() string {
	tried := r.Tried()
	solved := 0
	var u Use
	for _, x := range tried {
		if x.Solved {
			solved++
		}
		u.Steps = u.Steps + x.Steps
		u.Input = u.Input + x.Input
		u.Cached = u.Cached + x.Cached
		u.USD = u.USD + x.USD
	}
	line := fmt.Sprintf("%d of %d solved", solved, len(tried))
	if n := len(r.Results) - len(tried); n > 0 {
		line += fmt.Sprintf(", %d skipped", n)
	}
	if len(tried) > 0 {
		line += fmt.Sprintf("; %d steps, %.0f%% of the input cached, %.2f USD", u.Steps,
			100*u.CachedShare(), u.USD)
	}
	return line
}

// cells returns the figures of an attempt, as the table and the page show them.
func (r Result) cells() []string {
	name := r.Task
	solved := "no"
	if r.Attempt > 1 {
		name += fmt.Sprintf(" (%d)", r.Attempt)
	}
	if r.Skipped {
		return []string{name, r.Language, r.Kind, "-", "", "", "", "", "", "", "", "", ""}
	}
	if r.Solved {
		solved = "yes"
	}
	return []string{
		name, r.Language, r.Kind, solved,
		lines(r.Added, r.Removed), lines(r.TestsAdded, r.TestsRemoved),
		lines(r.UpstreamAdded, r.UpstreamRemoved), r.Hunks,
		fmt.Sprint(r.Steps), kilobytes(r.PromptBytes), fmt.Sprintf("%.0f%%", 100*r.CachedShare()),
		(time.Duration(r.Seconds) * time.Second).String(), fmt.Sprintf("%.2f", r.USD),
	}
}

func lines(added, removed int) string { return fmt.Sprintf("+%d −%d", added, removed) }

func kilobytes(n int) string { return fmt.Sprintf("%.0f KB", float64(n)/1e3) }
