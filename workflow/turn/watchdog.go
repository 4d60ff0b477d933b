package turn

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// checkInterval returns how often to look for silent threads: every tenth of the silence, so that no thread
// waits much longer, but between a second and a minute.
func checkInterval(silent time.Duration) time.Duration {
	return min(max(silent/10, time.Second), time.Minute)
}

// Watchdog posts a line about the state of the work in each thread whose session is at work and in which
// nothing was posted for the duration silent. It leaves out sessions that wait for people. It runs until ctx
// ends, or returns at once if silent is not positive.
func (r *Runner) Watchdog(ctx context.Context, silent time.Duration) {
	if silent <= 0 {
		return
	}
	tick := time.NewTicker(checkInterval(silent))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := r.PostProgressNotes(ctx, silent); err != nil && ctx.Err() == nil {
			r.Log.Warn("cannot tell silent threads how the work stands", "err", err)
		}
	}
}

// PostProgressNotes posts a progress note in each silent thread, once.
func (r *Runner) PostProgressNotes(ctx context.Context, silent time.Duration) error {
	sessions, err := store.ListSilent(ctx, r.Store.DB, silent)
	if err != nil {
		return err
	}
	for _, id := range sessions {
		notified, err := store.NewSilenceNotifier(r.Store).Notify(ctx, id, silent, r.silenceLine)
		if err != nil {
			return err
		}
		if notified {
			r.Log.Info("told a silent thread how the work stands", "session", id, "silent", silent)
		}
	}
	return nil
}

// phaseText describes what a session in a phase does, for sessions without a known task or command.
var phaseText = map[workflow.Phase]string{
	workflow.PhaseAligning:   "I am thinking about what to ask next",
	workflow.PhaseExploring:  "I am reading the code",
	workflow.PhaseDiagnosing: "I am looking for the cause",
	workflow.PhasePlanning:   "I am planning the work",
	workflow.PhaseWorking:    "I am between two tasks",
	workflow.PhaseVerifying:  "The work is being built and tested",
	workflow.PhaseConsulting: "The consultant was asked, and has not answered yet",
}

// silenceLine returns the progress note for a silent thread.
func (r *Runner) silenceLine(x store.SilentSession) workflow.Line {
	parts := []string{fmt.Sprintf("Still at work; nothing was said for %s.", plaintext.FormatDuration(x.For))}
	switch {
	case x.WaitsForSlot:
		parts = append(parts, "I wait for a free slot: the limit of concurrent sessions is reached.")
	case x.Failing:
		parts = append(parts, "Something failed on my side, and I try again.")
	case len(x.Tasks) == 0 && len(x.Commands) == 0:
		parts = append(parts, cmp.Or(phaseText[x.Session.Phase], "I am reading what was asked")+".")
	}
	for _, k := range x.Tasks {
		name := r.Agents[k.Category].Signature()
		parts = append(parts, fmt.Sprintf("Task %d [%s] for %s: %s.", k.Number, name,
			plaintext.FormatDuration(k.For), strings.TrimRight(brief(k.Description), ".")))
	}
	for _, c := range x.Commands {
		parts = append(parts, fmt.Sprintf("Running for %s: `%s`.", plaintext.FormatDuration(c.For),
			strings.ReplaceAll(brief(c.What), "`", "'")))
	}
	return workflow.Line{
		Agent: r.Agents[agent.Orchestrator].Signature(), Text: r.Secrets.Mask(strings.Join(parts, " ")),
		Vouched: []int{0},
	}
}

// brief returns a text in one line of at most 120 characters.
func brief(s string) string {
	return plaintext.CutLine(plaintext.OneLine(s), 120)
}
