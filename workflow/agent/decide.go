package agent

import (
	"context"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
)

// A Speaker puts a line in the thread.
type Speaker interface {
	Say(ctx context.Context, message string) (model.Result, error)
}

// A Lead is the desk of the orchestrator: what it decides becomes fact there, or is
// refused with the reason. The turn implements it.
type Lead interface {
	Speaker
	RootCause(ctx context.Context, c RootCause) (model.Result, error)
	Delegate(ctx context.Context, tasks []Assignment) (model.Result, error)
	Ask(ctx context.Context, q Question) (model.Result, error)
	Reply(ctx context.Context, text string) (model.Result, error)
	NotForMe(ctx context.Context, reason string) (model.Result, error)
	Finish(ctx context.Context, summary string) (model.Result, error)
}

// A Hand is the desk of a worker.
type Hand interface {
	Speaker
	Done(ctx context.Context, summary string) (model.Result, error)
	Blocked(ctx context.Context, reason string) (model.Result, error)
}

// RootCause is what report_root_cause takes.
type RootCause struct {
	Summary      string     `json:"summary" jsonschema:"one line: what is wrong, as the reporter would say it"`
	Cause        string     `json:"cause" jsonschema:"the cause with file:line, and how it leads to the symptom"`
	Evidence     []Evidence `json:"evidence" jsonschema:"each claim with how you know it; at least one"`
	Reproduction string     `json:"reproduction,omitempty" jsonschema:"the command that shows the bug, if one was run and failed"`
	Confidence   string     `json:"confidence" jsonschema:"high, medium or low"`
}

// Evidence is one claim of a report and what stands behind it.
type Evidence struct {
	Claim  string `json:"claim" jsonschema:"one sentence"`
	Grade  string `json:"grade" jsonschema:"observed: you ran or read it; inferred: you concluded it"`
	Source string `json:"source,omitempty" jsonschema:"file:line, or the command and the line of its output"`
}

// An Assignment is one task of delegate.
type Assignment struct {
	Description string `json:"description" jsonschema:"the whole task: the goal, the files, what must hold, what not to touch; the worker sees only this, the report and the thread's corrections"`
	Category    string `json:"category" jsonschema:"quick: one small plain change; deep: anything with more than one step; visual-engineering: user interface"`
	Skill       string `json:"skill,omitempty" jsonschema:"tdd, frontend-ui-ux or diagnose"`
	After       []int  `json:"after,omitempty" jsonschema:"positions in this list (from 1) that must be done first"`
}

// A Question is what ask takes.
type Question struct {
	Question    string   `json:"question"`
	Options     []string `json:"options" jsonschema:"two to four answers that exclude each other"`
	Recommended string   `json:"recommended" jsonschema:"the option you would take, word for word"`
}

type sayIn struct {
	Message string `json:"message" jsonschema:"one or two sentences"`
}

func say(s Speaker) model.Tool {
	return model.NewTool("say", text("tools/say.md"), func(ctx context.Context, in sayIn) (model.Result, error) {
		return s.Say(ctx, in.Message)
	})
}

// Leading are the tools by which the orchestrator decides.
func Leading(desk Lead) []model.Tool {
	return []model.Tool{
		say(desk),
		model.NewTool("report_root_cause", text("tools/report_root_cause.md"), desk.RootCause, enums(map[string][]any{
			"confidence": {"high", "medium", "low"}, "evidence.grade": {"observed", "inferred"},
		})),
		model.NewTool("delegate", text("tools/delegate.md"), func(ctx context.Context, in struct {
			Tasks []Assignment `json:"tasks"`
		},
		) (model.Result, error) {
			return desk.Delegate(ctx, in.Tasks)
		}, enums(map[string][]any{
			"tasks.category": {string(workflow.CategoryQuick), string(workflow.CategoryDeep), string(workflow.CategoryVisual)},
			"tasks.skill":    {"tdd", "frontend-ui-ux", "diagnose"},
		})),
		model.NewTool("ask", text("tools/ask.md"), desk.Ask),
		model.NewTool("reply", text("tools/reply.md"), func(ctx context.Context, in struct {
			Text string `json:"text" jsonschema:"the answer, short, in Markdown"`
		},
		) (model.Result, error) {
			return desk.Reply(ctx, in.Text)
		}),
		model.NewTool("not_for_me", text("tools/not_for_me.md"), func(ctx context.Context, in struct {
			Reason string `json:"reason"`
		},
		) (model.Result, error) {
			return desk.NotForMe(ctx, in.Reason)
		}),
		model.NewTool("finish", text("tools/finish.md"), func(ctx context.Context, in struct {
			Summary string `json:"summary" jsonschema:"what was changed and why, two to five sentences; becomes the commit message"`
		},
		) (model.Result, error) {
			return desk.Finish(ctx, in.Summary)
		}),
	}
}

// Working are the tools by which a worker speaks and ends its task.
func Working(desk Hand) []model.Tool {
	return []model.Tool{
		say(desk),
		model.NewTool("done", text("tools/done.md"), func(ctx context.Context, in struct {
			Summary string `json:"summary" jsonschema:"what you changed and why, one to three sentences"`
		},
		) (model.Result, error) {
			return desk.Done(ctx, in.Summary)
		}),
		model.NewTool("blocked", text("tools/blocked.md"), func(ctx context.Context, in struct {
			Reason string `json:"reason" jsonschema:"what is missing, and who could give it"`
		},
		) (model.Result, error) {
			return desk.Blocked(ctx, in.Reason)
		}),
	}
}

// enums limits properties, named by their path through objects and arrays, to values.
func enums(values map[string][]any) func(*jsonschema.Schema) {
	return func(root *jsonschema.Schema) {
		for path, list := range values {
			if s := property(root, path); s != nil {
				s.Enum = list
			}
		}
	}
}

// property follows a dotted path; array items are passed through.
func property(s *jsonschema.Schema, path string) *jsonschema.Schema {
	for _, name := range strings.Split(path, ".") {
		if s != nil && s.Items != nil {
			s = s.Items
		}
		if s == nil || s.Properties == nil {
			return nil
		}
		s = s.Properties[name]
	}
	return s
}
