package turn

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// lookEvery is how often it is looked who was silent for too long: a tenth of that time, so
// that nobody waits much longer.
func lookEvery(silent time.Duration) time.Duration {
	return min(max(silent/10, time.Second), time.Minute)
}

// Watchdog says in each thread at work in which nothing was said for so long what goes on
// there, until ctx ends. Sessions that wait for people are none of its business.
func (r *Runner) Watchdog(ctx context.Context, silent time.Duration) {
	if silent <= 0 {
		return
	}
	tick := time.NewTicker(lookEvery(silent))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := r.SpeakUp(ctx, silent); err != nil && ctx.Err() == nil {
			r.Log.Warn("threads that were silent were not told what goes on", "err", err)
		}
	}
}

// SpeakUp does so once.
func (r *Runner) SpeakUp(ctx context.Context, silent time.Duration) error {
	sessions, err := r.Store.Silent(ctx, silent)
	if err != nil {
		return err
	}
	for _, id := range sessions {
		said, err := r.Store.BreakSilence(ctx, id, silent, r.goesOn)
		if err != nil {
			return err
		}
		if said {
			r.Log.Info("a thread was silent, and was told what goes on", "session", id, "silent", silent)
		}
	}
	return nil
}

// doing is what a session does in a phase, where nothing better is known.
var doing = map[workflow.Phase]string{
	workflow.PhaseAligning:   "I am thinking about what to ask next",
	workflow.PhaseExploring:  "I am reading the code",
	workflow.PhaseDiagnosing: "I am looking for the cause",
	workflow.PhasePlanning:   "I am planning the work",
	workflow.PhaseWorking:    "I am between two tasks",
	workflow.PhaseVerifying:  "The work is being built and tested",
	workflow.PhaseConsulting: "The consultant was asked, and has not answered yet",
}

// goesOn is the line.
func (r *Runner) goesOn(x store.Silence) workflow.Line {
	parts := []string{fmt.Sprintf("Still at work; nothing was said for %s.", inWords(x.For))}
	switch {
	case x.Seatless:
		parts = append(parts, "I wait for a place: as many sessions are at work as may be at once.")
	case x.Failing:
		parts = append(parts, "Something failed on my side, and I try again.")
	case len(x.Tasks) == 0 && len(x.Commands) == 0:
		parts = append(parts, cmp.Or(doing[x.Session.Phase], "I am reading what was asked")+".")
	}
	for _, k := range x.Tasks {
		name := r.Agents[k.Category].Signature()
		parts = append(parts, fmt.Sprintf("Task %d [%s] for %s: %s.", k.Number, name, inWords(k.For), strings.TrimRight(briefly(k.Description), ".")))
	}
	for _, c := range x.Commands {
		parts = append(parts, fmt.Sprintf("Running for %s: `%s`.", inWords(c.For), strings.ReplaceAll(briefly(c.What), "`", "'")))
	}
	return workflow.Line{Agent: r.Agents[agent.Orchestrator].Signature(), Text: r.Secrets.Mask(strings.Join(parts, " "))}
}

// briefly is a text in one line that is not too long.
func briefly(s string) string {
	return plaintext.CutLine(plaintext.OneLine(s), 120)
}

// inWords is a time as people say it.
func inWords(d time.Duration) string {
	switch minutes := int(d / time.Minute); {
	case minutes < 1:
		return "less than a minute"
	case minutes < 120:
		return fmt.Sprintf("%d min", minutes)
	default:
		return fmt.Sprintf("%d h %d min", minutes/60, minutes%60)
	}
}

// underWay tells the watchdog of a tool that may take long, until its end. Should that not
// be to be kept, nothing but the watchdog's line is poorer.
func (r *Runtime) underWay(ctx context.Context, name string, args json.RawMessage) (end func()) {
	var in struct {
		Command string `json:"command"`
	}
	_ = json.Unmarshal(args, &in)
	done, err := r.UnderWay(ctx, r.finder().Mask(cmp.Or(plaintext.OneLine(in.Command), name)))
	if err != nil {
		r.log.Warn("what runs is not kept", "err", err)
		return func() {}
	}
	return func() {
		if err := done(context.WithoutCancel(ctx)); err != nil {
			r.log.Warn("what ran is not taken away", "err", err)
		}
	}
}

// unheard answers messages that could not be judged, however often that was tried: Slack
// does not tell who wrote them. They are set aside, and whoever wrote them is told; what
// else goes on in the session does.
func (t *turn) unheard(ctx context.Context, cause error) error {
	messages, err := t.Unhandled(ctx)
	if err != nil || len(messages) == 0 {
		return cmp.Or(err, cause)
	}
	f := []store.Part{store.Update{ClearStop: true}}
	for _, m := range messages {
		f = append(f, store.Handled{ID: m.ID}, store.Decision{What: "speak", Reason: "the person could not be looked up", User: m.User, MessageTS: m.TS})
	}
	t.log.Error("messages are set aside: it cannot be read who wrote them", "messages", len(messages), "err", cause)
	f = append(f, store.Lines(t.program("I cannot take what was written here last: Slack does not tell me who wrote it ("+firstLine(cause.Error())+
		"). Please write it again in a moment; if that does not help, whoever runs me finds the cause with `bobbin doctor`.")))
	return t.Record(ctx, f...)
}
