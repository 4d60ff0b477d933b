package worker

import (
	"context"
	"errors"
	"fmt"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/tool"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/inquiry"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/runtime"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/delivery"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/delivery/scope"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/attachment"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// Workers runs the tasks of a session.
type Workers struct {
	*ledger.Ledger
	Trees       *worktree.Trees
	Delivery    *delivery.Delivery
	Scope       *scope.Scope
	Inquiries   *inquiry.Inquiries
	Runtime     *runtime.Runtime
	Attachments *attachment.Attachments
	Attempts    int
}

// A task is one task with the state of its worker.
type task struct {
	*Workers
	transcript *runtime.Transcript
	task       workflow.Task
	tree       *git.Workspace // the workspace that it works in
	grant      *workflow.Approval
	red        failedCheck
	told       string // the changed expectations that the worker was told of
}

// runTask runs one task, or the rest of it, and returns it with its result.
func (w *Workers) runTask(
	ctx context.Context, k workflow.Task, approval *workflow.Approval,
) (workflow.Task, error) {
	if k.State != workflow.TaskOpen && k.State != workflow.TaskWorking {
		return k, nil
	}
	row := w.Agents[string(k.Category)]
	j, err := w.Runtime.OpenTranscript(ctx, k.ID, row)
	if err != nil {
		return k, err
	}
	tree, err := w.Trees.OpenTaskTree(ctx, &k, len(j.Messages()) > 0)
	var unfit *git.PathError
	if errors.As(err, &unfit) {
		k.State = workflow.TaskBlocked
		k.Summary = fmt.Sprintf("not begun, since its own copy of the files cannot be made: %v. "+
			"Delegate one task alone that removes or ignores it.", unfit)
		return k, w.recordTask(ctx, k)
	}
	if err != nil {
		return k, err
	}
	if k.Apart {
		defer tree.Close()
	}
	h := &task{Workers: w, transcript: j, task: k, tree: tree, grant: approval}
	env, err := h.openEnv(ctx)
	if err != nil {
		return k, err
	}
	outside, err := w.Runtime.Sources.Tools(ctx)
	if err != nil {
		return k, err
	}
	loop := w.Runtime.NewLoop(ctx, row, j, append(h.workerTools(env), outside...))
	loop.Transcript = &taskTranscript{j, h}
	end, err := loop.Run(ctx)
	if err != nil {
		return h.task, err
	}
	if end != agent.EndTool {
		return h.task, h.endNowhere(ctx, end)
	}
	return h.task, nil
}

// openEnv returns the worker's env, which knows the files that the worker has seen: those in its
// first message, and those that it has read since.
func (t *task) openEnv(ctx context.Context) (*tool.Env, error) {
	report, err := t.Store.Report(ctx, t.Session().ID, t.grant.Revision)
	if err != nil {
		return nil, fmt.Errorf("report %d: %w", t.grant.Revision, err)
	}
	env, err := t.Runtime.NewEnv(t.tree, t.mayWrite, nil)
	if err != nil {
		return nil, err
	}
	excerpts := env.Excerpts(ctx, t.linesToFix(report))
	if len(t.transcript.Messages()) == 0 {
		return env, t.writeBrief(ctx, report, excerpts)
	}
	env.Recall(t.transcript.Messages())
	return env, nil
}

// A taskTranscript is a worker's transcript. When the worker reads that a removal was put back, it is in
// the files already.
type taskTranscript struct {
	*runtime.Transcript
	task *task
}

// Splice judges new messages, merges removals that were put back into the files, and appends the
// messages for the worker.
func (t *taskTranscript) Splice(ctx context.Context) error {
	if err := t.Hear(ctx); err != nil {
		return err
	}
	if err := t.task.Scope.RestoreRemovals(ctx, t.task.tree, &t.task.task); err != nil {
		return err
	}
	return t.Transcript.Splice(ctx)
}

func (w *Workers) recordTask(ctx context.Context, k workflow.Task) error {
	return w.Record(ctx, progress.Task{Task: k})
}

func (w *Workers) MaxAttempts() int {
	if w.Attempts == 0 {
		return 2
	}
	return w.Attempts
}
