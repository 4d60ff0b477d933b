package budget

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/workflow/quota"
	"github.com/bobbinhq/bobbin/workflow/store/spending"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
)

// A Budget holds the session to its limits.
type Budget struct {
	*ledger.Ledger
	Limits quota.Limits

	mu         sync.Mutex
	weighAfter time.Time // the session's folder again
}

// A LimitError says that the session has used what it may. Whatever was under way stays as
// its rows say, and goes on from there once somebody allows more.
type LimitError struct{ Reached []quota.Use }

func (e *LimitError) Error() string { return "a limit is reached: " + e.Used() }

func (e *LimitError) Used() string {
	var parts []string
	for _, u := range e.Reached {
		parts = append(parts, u.String())
	}
	return strings.Join(parts, "; ")
}

// CheckLimits is asked before each model call and command: it reads from the rows whether a limit
// is reached, so that it holds over restarts and over all replicas. It warns of one that
// is near. What is under way elsewhere at this moment may go beyond by that much. Limits of
// commands hold up commands only.
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
		over = slices.DeleteFunc(over, func(u quota.Use) bool { return u.Limit.OfCommands() })
	}
	if len(over) > 0 {
		return &LimitError{Reached: over}
	}
	for _, u := range uses {
		if u.Near() && !u.Reached() && !u.Warned {
			text := fmt.Sprintf("Near a limit: %s. When it is reached, I pause and ask.", u)
			if err := b.Warn(ctx, u, b.ProgramLine(text)); err != nil {
				return err
			}
		}
	}
	return nil
}

// slowWalk is what looking at a session's folder may take each time.
const slowWalk = 200 * time.Millisecond

// measureDisk puts into the rows what the session takes of this machine's disk, where that has a
// limit. Walking a large tree takes a while: no more than a twentieth of the time goes into it.
func (b *Budget) measureDisk(ctx context.Context) error {
	limited := func(s quota.Span) bool { return b.Limits[s][quota.Disk] > 0 }
	if !slices.ContainsFunc(quota.Spans, limited) {
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
	return b.Record(ctx, spending.Usage{Disk: &bytes})
}

func ReachedLimits(uses []quota.Use) (out []quota.Use) {
	for _, u := range uses {
		if u.Reached() {
			out = append(out, u)
		}
	}
	return out
}

// Message are what people are told: which limit, how much was used, what to do.
func (e *LimitError) Message(who string) string {
	text := e.Used() + ". Nothing is lost."
	for _, u := range e.Reached {
		if ends := u.Ends(); ends != "" {
			return fmt.Sprintf("%s Reply \"go on\" to allow as much again today, or later: %s. %s", text, ends, who)
		}
	}
	return fmt.Sprintf("%s Reply \"go on\" to allow as much again. %s", text, who)
}
