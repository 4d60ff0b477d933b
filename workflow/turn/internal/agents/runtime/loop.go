package runtime

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/metrics"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/tracing"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/sources"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// askModel sends an agent's request to the model, with the pictures that the messages name, and counts
// its tokens and time.
func (r *Runtime) askModel(ctx context.Context, agent string, q model.Request) (model.Response, error) {
	q.Messages = r.Attachments.WithPictures(ctx, q.Messages)
	began := time.Now()
	ctx, span := tracing.Start(ctx, "model", "agent", agent, "model", q.Model)
	answer, err := r.Model.Ask(ctx, q)
	span.Count("tokens_input", answer.Usage.Input)
	span.Count("tokens_cached", answer.Usage.Cached)
	span.Count("tokens_output", answer.Usage.Output)
	span.End(err)
	r.Metrics.Asked(agent, time.Since(began), err)
	return answer, err
}

// counted returns the tools, each wrapped so that its calls are traced and counted.
func (r *Runtime) counted(tools []model.Tool) []model.Tool {
	tools = slices.Clone(tools)
	for i, t := range tools {
		tools[i].Call = func(ctx context.Context, args json.RawMessage) (model.Result, error) {
			began := time.Now()
			ctx, span := tracing.Start(ctx, "tool "+t.Name)
			result, err := t.Call(ctx, args)
			span.Label("outcome", metrics.OutcomeOf(result, err))
			span.End(err)
			r.Metrics.Tool(t.Name, time.Since(began), result, err)
			return result, err
		}
	}
	return tools
}

func (r *Runtime) NewLoop(
	ctx context.Context, row agent.Agent, j *Transcript, tools []model.Tool,
) *agent.Loop {
	ask := func(ctx context.Context, q model.Request) (model.Response, error) {
		return r.askModel(ctx, row.Name, q)
	}
	return &agent.Loop{
		Agent: row, Tools: r.counted(tools), Transcript: j, Ask: ask, CheckStep: r.Budget.CheckLimits,
		Log:      r.Log,
		CacheKey: fmt.Sprintf("%s-%s-%d", r.Session().ID, row.Name, j.task),
		Step:     r.beginStep, Interruptible: append(sources.NamesIn(tools), "run", "check"),
		OnRetry: func(a model.RetryNotice) { r.sayRetry(ctx, a) },
		Window:  agent.ContextWindow{Tokens: r.Model.Window, Fence: fenceOwn, OnCompaction: j.sayFolded},
	}
}

// fenceOwn fences text that an agent wrote for itself as data. The mark of the program's own words is
// replaced in it.
func fenceOwn(name, text string) string {
	return prompt.Fence(name, prompt.MarkReplacements.ReplaceAllString(text, `"program"`))
}

// sayFolded returns the line that tells people that the agent's model is shown less of its
// conversation. It does so the first time only; later times are on the session's page.
func (t *Transcript) sayFolded(f model.Compaction, first bool) []model.Write {
	if !first {
		return nil
	}
	var text workflow.Text
	text.Vouch(CompactionNotice(f))
	return ledger.Writes(t.ProgressLine(text))
}

// CompactionNotice returns the sentences for people about a conversation that is too long for its model.
func CompactionNotice(f model.Compaction) string {
	how := "I summed up the older part of my own work and go on"
	if f.Upto == 0 {
		how = "I go on without the long outputs of older steps"
	}
	return "This has grown longer than my model can read at once. " + how +
		"; what you wrote, approvals, reports and plans stay word for word."
}

// beginStep returns the context of one model call or command, which CancelSteps cancels.
func (r *Runtime) beginStep(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.steps == nil {
		r.steps = map[*context.CancelCauseFunc]bool{}
	}
	r.steps[&cancel] = true
	return ctx, func() {
		r.mu.Lock()
		delete(r.steps, &cancel)
		r.mu.Unlock()
		cancel(nil)
	}
}

// CancelSteps cancels the model calls and commands that are under way, after a person wrote something
// that makes them pointless.
func (r *Runtime) CancelSteps() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for cancel := range r.steps {
		(*cancel)(agent.ErrSuperseded)
	}
}
