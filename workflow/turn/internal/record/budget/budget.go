package budget

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// A Budget keeps the session within its limits.
type Budget struct {
	*ledger.Ledger
	Limits workflow.Limits

	mu         sync.Mutex
	weighAfter time.Time // when the session's folder may be measured again
}

// A LimitError says that the session has used up a limit. Work that is under way stays in its rows, and
// continues from there after a person has allowed more.
type LimitError struct{ Reached []workflow.LimitUse }

func (l *LimitError) Error() string { return "a limit is reached: " + l.Used() }

func (l *LimitError) Used() string {
	var parts []string
	for _, u := range l.Reached {
		parts = append(parts, u.String())
	}
	return strings.Join(parts, "; ")
}

// CheckLimits is called before each model call, with an empty tool, and before each command. It returns
// a LimitError if a limit is reached, and warns the thread if one is near. It reads the use from rows,
// so that a limit holds over restarts and over all replicas; calls that run elsewhere at the same
// moment may still exceed it by what they use. A limit on commands stops commands only.
func (b *Budget) CheckLimits(ctx context.Context, tool string) error {
	if len(b.Limits) == 0 {
		return nil
	}
	if tool != "" {
		if err := b.measureDisk(ctx); err != nil {
			return err
		}
	}
	uses, err := b.Uses(ctx, b.Limits)
	if err != nil {
		return err
	}
	over := ReachedLimits(uses)
	if tool == "" {
		over = slices.DeleteFunc(over, func(u workflow.LimitUse) bool { return u.Limit.OfCommands() })
	}
	if len(over) > 0 {
		return &LimitError{Reached: over}
	}
	for _, u := range uses {
		if u.Near() && !u.Reached() && !u.Warned {
			text := fmt.Sprintf("Near a limit: %s. When it is reached, I pause and ask.", u)
			err := b.Record(ctx, store.LimitWarning(u), store.Lines(b.ProgramLine(text)))
			if err != nil && !errors.Is(err, store.ErrStale) {
				// stale: it was said before, perhaps in another session
				return err
			}
		}
	}
	return nil
}

// slowWalk is how long measuring a session's folder may take before the next measurement is delayed.
const slowWalk = 200 * time.Millisecond

// measureDisk records the disk space that the session uses on this machine, if it has a limit. Walking
// a large tree takes a while, so at most a twentieth of the time is spent on it.
func (b *Budget) measureDisk(ctx context.Context) error {
	limited := func(s workflow.Span) bool { return b.Limits[s][workflow.UnitDisk] > 0 }
	if !slices.ContainsFunc(workflow.Spans, limited) {
		return nil
	}
	b.mu.Lock()
	early := time.Now().Before(b.weighAfter)
	b.mu.Unlock()
	if early {
		return nil
	}
	began := time.Now()
	bytes := disk.DiskUse(b.Folder(""))
	if took := time.Since(began); took > slowWalk {
		b.mu.Lock()
		b.weighAfter = time.Now().Add(20 * took)
		b.mu.Unlock()
	}
	return b.Record(ctx, store.Usage{Disk: &bytes})
}

func ReachedLimits(uses []workflow.LimitUse) (out []workflow.LimitUse) {
	for _, u := range uses {
		if u.Reached() {
			out = append(out, u)
		}
	}
	return out
}

// Message returns the text for people: which limit was reached, how much was used, and what to do.
func (l *LimitError) Message(who string) string {
	text := l.Used() + ". Nothing is lost."
	if ends := l.dayEnds(); ends != "" {
		return fmt.Sprintf("%s Reply \"go on\" to allow as much again today, or later: %s. %s",
			text, ends, who)
	}
	return fmt.Sprintf("%s Reply \"go on\" to allow as much again. %s", text, who)
}

// NotLookedInto returns the text for people whose question was not looked into. consent reports whether the
// session waits for consent to what it has shown: "go on" is about that then, and allows nothing.
func (l *LimitError) NotLookedInto(who string, consent bool) string {
	if !consent {
		return workflow.NotLookedInto + l.Message(who) + " Then ask again."
	}
	text := workflow.NotLookedInto + l.Used() + ". Nothing is lost. Answer first what waits above: " +
		"what follows pauses at the limit, and \"go on\" allows as much again there."
	if ends := l.dayEnds(); ends != "" {
		return fmt.Sprintf("%s Or ask again later: %s.", text, ends)
	}
	return text
}

// dayEnds says when the day of the first reached limit of a day ends; empty: only limits
// of the session are reached.
func (l *LimitError) dayEnds() string {
	for _, u := range l.Reached {
		if ends := u.Ends(); ends != "" {
			return ends
		}
	}
	return ""
}
