package runtime

import (
	"context"
	"fmt"

	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
)

// askModel asks with the pictures that the messages name.
func (r *Runtime) askModel(ctx context.Context, q model.Request) (model.Response, error) {
	q.Messages = r.Attachments.WithPictures(ctx, q.Messages)
	return r.Model.Ask(ctx, q)
}

func (r *Runtime) NewLoop(ctx context.Context, row agent.Agent, j *Transcript, tools []model.Tool) *agent.Loop {
	return &agent.Loop{
		Agent: row, Tools: tools, Journal: j, Ask: r.askModel, May: r.Budget.CheckLimits, Log: r.Log,
		CacheKey: fmt.Sprintf("%s-%s-%d", r.Session().ID, row.Name, j.task),
		Step:     r.beginStep, Overtaken: []string{"run", "check"},
		Retrying: func(a model.Again) { r.sayRetry(ctx, a) },
	}
}

// beginStep is the context of one model call or command: overtake ends it.
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

// CancelSteps cancels the model calls and commands that are under way: somebody wrote what
// makes them pointless.
func (r *Runtime) CancelSteps() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for cancel := range r.steps {
		(*cancel)(agent.ErrOvertaken)
	}
}
