package decision

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
)

// A Speaker puts a line in the thread.
type Speaker interface {
	Say(ctx context.Context, message string) (model.Result, error)
}

// OrchestratorTools are what the orchestrator's tools call. Each records what the orchestrator
// decided, or refuses it with the reason. workflow/turn/orchestrator implements them.
type OrchestratorTools interface {
	Speaker
	RootCause(ctx context.Context, c RootCause) (model.Result, error)
	Diagnosis(ctx context.Context, d workflow.Diagnosis) (model.Result, error)
	Restate(ctx context.Context, r workflow.Request) (model.Result, error)
	ProposePlan(ctx context.Context, p workflow.Plan) (model.Result, error)
	Delegate(ctx context.Context, tasks []Assignment) (model.Result, error)
	Consult(ctx context.Context, question string) (model.Result, error)
	Ask(ctx context.Context, q Question) (model.Result, error)
	Reply(ctx context.Context, text string) (model.Result, error)
	NotForMe(ctx context.Context, reason string) (model.Result, error)
	Finish(ctx context.Context, f Finish) (model.Result, error)
}

// WorkerTools are what a worker's tools call. workflow/turn/worker implements them.
type WorkerTools interface {
	Speaker
	Done(ctx context.Context, summary string) (model.Result, error)
	Blocked(ctx context.Context, reason string) (model.Result, error)
}

// RootCause is what report_root_cause takes.
type RootCause struct {
	Changed      string              `json:"changed,omitempty" jsonschema:"of a new revision, in one line: what it says otherwise than the one before; people read it first"`
	Summary      string              `json:"summary" jsonschema:"one line: what is wrong, as the reporter would say it"`
	Cause        string              `json:"cause" jsonschema:"the cause with file:line, and how it leads to the symptom"`
	Change       string              `json:"change,omitempty" jsonschema:"one line: what the fix will change, and where"`
	Evidence     []workflow.Evidence `json:"evidence" jsonschema:"each claim with how you know it; at least one"`
	Reproduction string              `json:"reproduction,omitempty" jsonschema:"the command that shows the bug, word for word as you gave it to run"`
	Confidence   string              `json:"confidence" jsonschema:"high, medium or low"`
}

// An Assignment is one task of delegate.
type Assignment struct {
	Description string `json:"description" jsonschema:"the whole task: the goal, the files, what must hold, what not to touch; the worker sees only this, the report and the thread's corrections"`
	Category    string `json:"category" jsonschema:"quick: one small plain change; deep: anything with more than one step; visual-engineering: user interface"`
	Skill       string `json:"skill,omitempty" jsonschema:"tdd, frontend-ui-ux or diagnose"`
	After       []int  `json:"after,omitempty" jsonschema:"positions in this list (from 1) that must be done first; tasks without it run side by side"`
	Plan        int    `json:"plan,omitempty" jsonschema:"number of the approved plan's task that this is"`
}

// A Question is what ask takes.
type Question struct {
	Question    string   `json:"question"`
	Options     []string `json:"options" jsonschema:"two to four answers that exclude each other"`
	Recommended string   `json:"recommended" jsonschema:"the option you would take, word for word"`
	// Open is shown as a number, and taken as it stands when the thread wraps up.
	Open []workflow.OpenDecision `json:"open,omitempty" jsonschema:"in an interview: every other decision that is still open, with the answer you would take"`
}

// Finish is what finish takes.
type Finish struct {
	Title    string      `json:"title,omitempty" jsonschema:"the commit's first line: what this change does, in the imperative, 72 characters at most"`
	Summary  string      `json:"summary" jsonschema:"what was changed and why, two to five sentences; becomes the rest of the commit message"`
	Changed  string      `json:"changed,omitempty" jsonschema:"where people said something since the approval: what is different now from what was approved, in one line, or why nothing is"`
	Criteria []Criterion `json:"criteria,omitempty" jsonschema:"for a feature: each done criterion of the request, in its order"`
}

// A Criterion is one done criterion held against the result.
type Criterion struct {
	Met bool   `json:"met"`
	How string `json:"how" jsonschema:"the test, command or place that shows it; for one that is not met, why"`
	Now string `json:"now,omitempty" jsonschema:"where people corrected the criterion since: what it is now"`
}

// Explanation is what explain_diff takes.
type Explanation struct {
	Summary string     `json:"summary" jsonschema:"one or two sentences: why the change is as large as it is"`
	Hunks   []HunkWord `json:"hunks" jsonschema:"every hunk by its number"`
}

// A HunkWord says why one hunk is there.
type HunkWord struct {
	Number int    `json:"number"`
	Why    string `json:"why" jsonschema:"one short sentence"`
}

// Judgement is what judge_hunks takes.
type Judgement struct {
	Hunks []HunkVerdict `json:"hunks" jsonschema:"every hunk by its number"`
}

// A HunkVerdict says whether one hunk stands within a scope.
type HunkVerdict struct {
	Number int    `json:"number"`
	Inside bool   `json:"inside" jsonschema:"true when the scope allows it, or the allowed change does not work without it"`
	Why    string `json:"why" jsonschema:"one short sentence"`
}

//go:embed tools/*.md
var descriptions embed.FS

// newTool makes a tool whose description is the file of its name.
func newTool[T any](name string, call func(context.Context, T) (model.Result, error), adjust ...func(*jsonschema.Schema)) model.Tool {
	description, err := descriptions.ReadFile("tools/" + name + ".md")
	if err != nil {
		panic(err) // every test would show it
	}
	return model.NewTool(name, strings.TrimSpace(string(description)), call, adjust...)
}

type sayIn struct {
	Message string `json:"message" jsonschema:"one or two sentences"`
}

func say(s Speaker) model.Tool {
	return newTool("say", func(ctx context.Context, in sayIn) (model.Result, error) {
		return s.Say(ctx, in.Message)
	})
}

var (
	categories = []any{string(workflow.CategoryQuick), string(workflow.CategoryDeep), string(workflow.CategoryVisual)}
	skills     = []any{"tdd", "frontend-ui-ux", "diagnose"}
	grades     = []any{"observed", "inferred"}
	degrees    = []any{"high", "medium", "low"}
)

// Leading returns the tools by which the orchestrator decides.
func Leading(o OrchestratorTools) []model.Tool {
	return readable([]model.Tool{
		say(o),
		newTool("report_root_cause", o.RootCause, enums(map[string][]any{
			"confidence": degrees, "evidence.grade": grades,
		})),
		newTool("report_diagnosis", o.Diagnosis, enums(map[string][]any{
			"risk.level": {"LOW", "MEDIUM", "HIGH"}, "evidence.grade": grades, "hypotheses.outcome": {"confirmed", "ruled_out", "open"},
		})),
		newTool("restate_request", o.Restate),
		newTool("propose_plan", o.ProposePlan, enums(map[string][]any{
			"tasks.category": categories, "tasks.skill": skills,
		})),
		newTool("delegate", func(ctx context.Context, in struct {
			Tasks []Assignment `json:"tasks"`
		},
		) (model.Result, error) {
			return o.Delegate(ctx, in.Tasks)
		}, enums(map[string][]any{"tasks.category": categories, "tasks.skill": skills})),
		newTool("ask", o.Ask),
		newTool("consult", func(ctx context.Context, in struct {
			Question string `json:"question" jsonschema:"what you want to know, with what you found and tried so far"`
		},
		) (model.Result, error) {
			return o.Consult(ctx, in.Question)
		}),
		newTool("reply", func(ctx context.Context, in struct {
			Text string `json:"text" jsonschema:"the answer, short, in Markdown"`
		},
		) (model.Result, error) {
			return o.Reply(ctx, in.Text)
		}),
		newTool("not_for_me", func(ctx context.Context, in struct {
			Reason string `json:"reason"`
		},
		) (model.Result, error) {
			return o.NotForMe(ctx, in.Reason)
		}),
		newTool("finish", o.Finish),
	})
}

// Advising returns the tools by which the consultant speaks and answers.
func Advising(s Speaker, advise func(context.Context, workflow.Advice) (model.Result, error)) []model.Tool {
	return readable([]model.Tool{say(s), newTool("advise", advise, enums(map[string][]any{
		"effort": {"quick", "short", "medium", "large"}, "confidence": degrees,
	}))})
}

// Explaining returns the tool that explains a diff.
func Explaining(explain func(context.Context, Explanation) (model.Result, error)) []model.Tool {
	return []model.Tool{newTool("explain_diff", explain)}
}

// Reviewing returns the tool that compares a diff with a scope.
func Reviewing(judge func(context.Context, Judgement) (model.Result, error)) []model.Tool {
	return []model.Tool{newTool("judge_hunks", judge)}
}

// Working returns the tools by which a worker speaks and ends its task.
func Working(w WorkerTools) []model.Tool {
	return readable([]model.Tool{
		say(w),
		newTool("done", func(ctx context.Context, in struct {
			Summary string `json:"summary" jsonschema:"what you changed and why, one to three sentences"`
		},
		) (model.Result, error) {
			return w.Done(ctx, in.Summary)
		}),
		newTool("blocked", func(ctx context.Context, in struct {
			Reason string `json:"reason" jsonschema:"what is missing, and who could give it"`
		},
		) (model.Result, error) {
			return w.Blocked(ctx, in.Reason)
		}),
	})
}

// maxWords is how much one call may say, in bytes: what people read in a thread, and a
// few replies in Slack.
const maxWords = 32 << 10

// readable refuses calls that say more than anybody reads. A model that was talked into
// it, or went astray, cannot flood a thread.
func readable(tools []model.Tool) []model.Tool {
	for i, t := range tools {
		tools[i].Call = func(ctx context.Context, args json.RawMessage) (model.Result, error) {
			if len(args) > maxWords {
				return model.Result{Wrong: true, Text: fmt.Sprintf("Not carried out: %d bytes are more than people read in a thread; %s takes %d at most. Say what matters.", len(args), t.Name, maxWords)}, nil
			}
			return t.Call(ctx, args)
		}
	}
	return tools
}

// enums limits properties to values; a property is named by its path through objects and arrays.
func enums(values map[string][]any) func(*jsonschema.Schema) {
	return func(root *jsonschema.Schema) {
		for path, list := range values {
			if s := property(root, path); s != nil {
				s.Enum = list
			}
		}
	}
}

// property returns the property at a dotted path, which passes through the items of arrays.
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
