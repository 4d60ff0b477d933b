package doctor

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// The states of findings.
const (
	stateOK      = "ok"
	stateNote    = "note"    // nothing is wrong; something to know
	stateWarning = "warning" // the bot works, but perhaps not as expected
	stateProblem = "problem" // the bot, or a part of it, does not work
)

// A Finding is the result of one check.
type Finding struct {
	State string `json:"state"`
	What  string `json:"what"`
	Cure  string `json:"cure,omitempty"`
}

// A List holds the findings of one part.
type List []Finding

// ok adds a finding that all is well.
func (l *List) ok(format string, args ...any) { l.add(stateOK, fmt.Sprintf(format, args...), "") }

// note adds a finding that may be of interest.
func (l *List) note(what, cure string) { l.add(stateNote, what, cure) }

// warn adds a finding that may be unexpected.
func (l *List) warn(what, cure string) { l.add(stateWarning, what, cure) }

// problem adds a finding that something does not work.
func (l *List) problem(what, cure string) { l.add(stateProblem, what, cure) }

// failed adds a problem for a check that ended in an error of one line.
func (l *List) failed(what string, err error) { l.problem(what+": "+err.Error(), "") }

func (l *List) add(state, what, cure string) {
	*l = append(*l, Finding{State: state, What: plaintext.OneLine(what), Cure: plaintext.OneLine(cure)})
}

// A Part is a group of checks with one list of findings. Parts are examined at the same time.
type Part struct {
	Name     string `json:"part"`
	Findings List   `json:"findings"`

	Look func(context.Context, *List) `json:"-"`
	done chan struct{}
}

// partTimeout is the time limit for one part.
const partTimeout = time.Minute

// lookAt examines all parts at the same time. It prints each part to show as soon as it and those before it
// are done, and it prints to progress which parts are still being examined.
func lookAt(ctx context.Context, parts []*Part, show, progress io.Writer) error {
	began := time.Now()
	for _, p := range parts {
		p.done = make(chan struct{})
		go func() {
			defer close(p.done)
			ctx, cancel := context.WithTimeout(ctx, partTimeout)
			defer cancel()
			p.Look(ctx, &p.Findings)
		}()
	}
	for _, p := range parts {
		if err := await(ctx, progress, p, parts, began); err != nil {
			return err
		}
		p.print(show)
	}
	return nil
}

// progressEvery is how often the parts that are still being examined are named while they stay the same.
const progressEvery = 10 * time.Second

// await waits for p, and prints which parts are still being examined: after a second, when they change, and
// now and then.
func await(ctx context.Context, w io.Writer, p *Part, all []*Part, began time.Time) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	said := ""
	var saidAt time.Time
	for {
		select {
		case <-p.done:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
			var busy []string
			for _, other := range all {
				select {
				case <-other.done:
				default:
					busy = append(busy, other.Name)
				}
			}
			names := strings.Join(busy, ", ")
			if names == said && time.Since(saidAt) < progressEvery {
				continue
			}
			said = names
			saidAt = time.Now()
			fmt.Fprintf(w, "bobbin: still looking at %s (%s)\n", names, time.Since(began).Round(time.Second))
		}
	}
}

// print writes the part's name and its findings, with their cures.
func (p *Part) print(w io.Writer) {
	fmt.Fprintln(w, p.Name)
	for _, f := range p.Findings {
		fmt.Fprintf(w, "  %-8s %s\n", f.State, f.What)
		if f.Cure != "" {
			fmt.Fprintf(w, "           → %s\n", f.Cure)
		}
	}
}

// colorOf returns the color of a line that print writes, by the state of its finding.
func colorOf(line string) cli.Color {
	if line != "" && line[0] != ' ' {
		return cli.Bold
	}
	word, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return map[string]cli.Color{
		stateOK: cli.Green, stateNote: cli.Faint, stateWarning: cli.Yellow, stateProblem: cli.Red,
		"→": cli.Cyan,
	}[word]
}

// countStates returns the number of findings of all parts, by state.
func countStates(parts []*Part) map[string]int {
	count := map[string]int{}
	for _, p := range parts {
		for _, f := range p.Findings {
			count[f.State]++
		}
	}
	return count
}
