// Package findings is what the doctor says: of each part of the bot what was found, and what to do
// about it. Parts are looked at side by side, each for at most a minute, and shown in their order.
// What there is to look at is the doctor's business.
package findings

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// The states of findings.
const (
	OK      = "ok"
	Note    = "note"    // nothing wrong, and something to know
	Warning = "warning" // the bot works, but not as somebody may expect
	Problem = "problem" // the bot does not work, or a part of it does not
)

// A Finding is one thing that was looked at.
type Finding struct {
	State string `json:"state"`
	What  string `json:"what"`
	Cure  string `json:"cure,omitempty"`
}

// A List is the findings of one part.
type List []Finding

// OK adds what is as it should be.
func (l *List) OK(format string, args ...any) { l.add(OK, fmt.Sprintf(format, args...), "") }

// Note adds what somebody may want to know.
func (l *List) Note(what, cure string) { l.add(Note, what, cure) }

// Warn adds what somebody may not expect.
func (l *List) Warn(what, cure string) { l.add(Warning, what, cure) }

// Problem adds what does not work.
func (l *List) Problem(what, cure string) { l.add(Problem, what, cure) }

// Failed adds a look that ended in an error of one line.
func (l *List) Failed(what string, err error) { l.Problem(what+": "+err.Error(), "") }

func (l *List) add(state, what, cure string) {
	*l = append(*l, Finding{State: state, What: plaintext.OneLine(what), Cure: plaintext.OneLine(cure)})
}

// A Part is what is looked at together; parts do not wait for each other.
type Part struct {
	Name     string `json:"part"`
	Findings List   `json:"findings"`

	Look func(context.Context, *List) `json:"-"`
	done chan struct{}
}

// Within is how long a part may take.
const Within = time.Minute

// LookAt looks at all parts at once. It shows each as soon as it and those before it are done, and
// tells progress once a second what is still being looked at.
func LookAt(ctx context.Context, parts []*Part, show, progress io.Writer) error {
	began := time.Now()
	for _, p := range parts {
		p.done = make(chan struct{})
		go func() {
			defer close(p.done)
			ctx, cancel := context.WithTimeout(ctx, Within)
			defer cancel()
			p.Look(ctx, &p.Findings)
		}()
	}
	for _, p := range parts {
		if err := await(ctx, progress, p, parts, began); err != nil {
			return err
		}
		p.Print(show)
	}
	return nil
}

// await waits for a part, and says once a second what is still being looked at.
func await(ctx context.Context, w io.Writer, p *Part, all []*Part, began time.Time) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
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
			fmt.Fprintf(w, "bobbin: still looking at %s (%s)\n", strings.Join(busy, ", "), time.Since(began).Round(time.Second))
		}
	}
}

// Print writes the findings of the part, with their cures.
func (p *Part) Print(w io.Writer) {
	fmt.Fprintln(w, p.Name)
	for _, f := range p.Findings {
		fmt.Fprintf(w, "  %-8s %s\n", f.State, f.What)
		if f.Cure != "" {
			fmt.Fprintf(w, "           → %s\n", f.Cure)
		}
	}
}

// Count is how many findings of each state the parts have.
func Count(parts []*Part) map[string]int {
	count := map[string]int{}
	for _, p := range parts {
		for _, f := range p.Findings {
			count[f.State]++
		}
	}
	return count
}
