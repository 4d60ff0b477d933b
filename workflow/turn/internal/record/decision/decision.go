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

// OrchestratorTools are the functions behind the orchestrator's tools. Each records what the orchestrator
// decided, or refuses it with the reason. workflow/turn/internal/tasks/orchestrator implements them.
type OrchestratorTools interface {
	Speaker
	RootCause(ctx context.Context, c RootCause) (model.Result, error)
	Diagnosis(ctx context.Context, d workflow.DiagnosisReport) (model.Result, error)
	Restate(ctx context.Context, r workflow.Request) (model.Result, error)
	ProposePlan(ctx context.Context, p workflow.Plan) (model.Result, error)
	Delegate(ctx context.Context, tasks []Assignment) (model.Result, error)
	Consult(ctx context.Context, question string) (model.Result, error)
	Ask(ctx context.Context, q Question) (model.Result, error)
	Reply(ctx context.Context, text string) (model.Result, error)
	NotForMe(ctx context.Context, reason string) (model.Result, error)
	Blocked(ctx context.Context, reason string) (model.Result, error)
	Finish(ctx context.Context, f Finish) (model.Result, error)
}

// WorkerTools are the functions behind a worker's tools. workflow/turn/internal/tasks/worker implements them.
type WorkerTools interface {
	Speaker
	Bump(ctx context.Context, b Bump) (model.Result, error)
	Done(ctx context.Context, d Done) (model.Result, error)
	Blocked(ctx context.Context, reason string) (model.Result, error)
}

// RootCause is the input of report_root_cause.
type RootCause struct {
	Changed      string              `json:"changed,omitempty"`
	Summary      string              `json:"summary" jsonschema:"in the reporter's words"`
	Cause        string              `json:"cause" jsonschema:"with file:line"`
	Change       string              `json:"change,omitempty" jsonschema:"what the fix will change"`
	Remains      string              `json:"remains" jsonschema:"what the fix leaves broken or makes worse, what contradicts the thread; or: nothing"`
	Evidence     []workflow.Evidence `json:"evidence"`
	Reproduction string              `json:"reproduction,omitempty"`
	Example      string              `json:"example,omitempty"`
	Confidence   string              `json:"confidence"`
	Siblings     *workflow.Siblings  `json:"siblings,omitempty"`

	ExpectedChanges []workflow.ExpectedChange `json:"expected_changes,omitempty"`
}

// An Assignment is one task in the input of delegate.
type Assignment struct {
	Title       string `json:"title,omitempty"`
	Description string `json:"description"`
	Category    string `json:"category"`
	Skill       string `json:"skill,omitempty"`
	After       []int  `json:"after,omitempty"`
	Plan        int    `json:"plan,omitempty"`
}

// A Question is the input of ask.
type Question struct {
	Question    string   `json:"question"`
	Options     []string `json:"options"`
	Recommended string   `json:"recommended"`
	// Open lists the other open decisions. People see their number; the recommended answers hold if they wrap
	// up.
	Open []workflow.OpenDecision `json:"open,omitempty"`
}

// Done is the input of done.
type Done struct {
	Summary string `json:"summary" jsonschema:"what you changed and why, one to three sentences; Markdown, code in backticks"`
	Left    string `json:"left,omitempty" jsonschema:"what stays open, for people, not for the commit"`
}

// Bump is the input of bump.
type Bump struct {
	Package string `json:"package"`
	Version string `json:"version" jsonschema:"exact"`
	Folder  string `json:"folder,omitempty" jsonschema:"of the lock file, if several name it"`
}

// Finish is the input of finish.
type Finish struct {
	Title    string      `json:"title,omitempty" jsonschema:"of the commit, imperative, to 72 characters"`
	Summary  string      `json:"summary" jsonschema:"what and why; people read it"`
	Left     string      `json:"left,omitempty" jsonschema:"what stays open, for people"`
	Changed  string      `json:"changed,omitempty" jsonschema:"if people wrote since the approval: what differs, or why nothing does"`
	Criteria []Criterion `json:"criteria,omitempty" jsonschema:"a feature's, in order"`
	Kept     string      `json:"kept,omitempty"` // why the review's findings are not acted upon
	// Hunks chooses, for the hunks that finish named as not needed, which of them stay.
	Hunks []HunkChoice `json:"hunks,omitempty" jsonschema:"as finish asks"`
}

// A HunkChoice removes a hunk that nothing needs, or keeps it for a reason.
type HunkChoice struct {
	ID   string `json:"id"`
	Keep string `json:"keep,omitempty"` // the reason to keep it; empty: it is removed
}

// A Criterion compares one done criterion with the result.
type Criterion struct {
	Met bool   `json:"met"`
	How string `json:"how"`
	Now string `json:"now,omitempty"`
}

// Explanation is the input of explain_diff.
type Explanation struct {
	Summary string     `json:"summary"`
	Hunks   []HunkWord `json:"hunks"`
}

// A HunkWord gives the reason for one hunk.
type HunkWord struct {
	Number int    `json:"number"`
	Why    string `json:"why" jsonschema:"one short sentence"`
}

// Judgement is the input of judge_hunks.
type Judgement struct {
	Hunks []HunkVerdict `json:"hunks"`
}

// A HunkVerdict says whether one hunk lies within a scope.
type HunkVerdict struct {
	Number int    `json:"number"`
	Inside bool   `json:"inside" jsonschema:"true when the scope allows it, or the allowed change does not work without it"`
	Why    string `json:"why" jsonschema:"one short sentence"`
}

// Review is the input of review_change.
type Review struct {
	Findings []Finding          `json:"findings"`
	Tests    []TestVerdict      `json:"tests,omitempty" jsonschema:"one for each test that is listed"`
	Criteria []CriterionVerdict `json:"criteria,omitempty" jsonschema:"one for each done criterion that is listed"`
}

// A TestVerdict says whether a new test shows something.
type TestVerdict struct {
	Name  string `json:"name"`
	Shows string `json:"shows"` // yes or no
	Why   string `json:"why" jsonschema:"one short sentence"`
}

// A CriterionVerdict says whether what the thread would be told of a done criterion is true.
type CriterionVerdict struct {
	Number  int    `json:"number"`
	Verdict string `json:"verdict"`
	Now     string `json:"now,omitempty" jsonschema:"if changed: what it is now, as people finally wanted it"`
	Why     string `json:"why" jsonschema:"one short sentence"`
}

// The verdicts on a done criterion.
const (
	CriterionMet     = "met"
	CriterionNotMet  = "not met"
	CriterionChanged = "changed" // people wanted something else in the end than its line says
)

// A Finding is a problem that should be solved before the change is pushed.
type Finding struct {
	Place string `json:"place" jsonschema:"path:line"`
	Kind  string `json:"kind"`
	What  string `json:"what"`
	Do    string `json:"do"`
}

// The kinds of finding. The first four are about the change itself.
const (
	FoundPersonalData  = "personal data"
	FoundDebugOutput   = "debug output"
	FoundUnrelated     = "unrelated"
	FoundEmptyTest     = "empty test"
	FoundDeadCode      = "dead code"
	FoundMissedCaller  = "missed caller"
	FoundConvention    = "convention"
	FoundNotAsApproved = "not as approved"
)

//go:embed tools/*.md
var descriptions embed.FS

// newTool returns a tool whose description is in tools/NAME.md.
func newTool[T any](
	name string, call func(context.Context, T) (model.Result, error), adjust ...func(*jsonschema.Schema),
) model.Tool {
	description, err := descriptions.ReadFile("tools/" + name + ".md")
	if err != nil {
		panic(err) // every test would show it
	}
	return model.NewTool(name, strings.TrimSpace(string(description)), call, adjust...)
}

type sayIn struct {
	Message string `json:"message"`
}

func say(s Speaker) model.Tool {
	return newTool("say", func(ctx context.Context, in sayIn) (model.Result, error) {
		return s.Say(ctx, in.Message)
	})
}

func blocked(b interface {
	Blocked(ctx context.Context, reason string) (model.Result, error)
},
) model.Tool {
	return newTool("blocked", func(ctx context.Context, in struct {
		Reason string `json:"reason"`
	},
	) (model.Result, error) {
		return b.Blocked(ctx, in.Reason)
	})
}

var (
	categories = []any{
		string(workflow.CategoryQuick), string(workflow.CategoryDeep), string(workflow.CategoryVisual),
	}
	skills   = []any{"tdd", "frontend-ui-ux", "diagnose"}
	grades   = []any{workflow.GradeObserved, workflow.GradeInferred}
	degrees  = []any{"high", "medium", "low"}
	examples = []any{"fails", "passes", "cannot_run", "none"} // results of the reporter's own example
	verdicts = []any{workflow.SiblingAffected, workflow.SiblingNotAffected}
)

// Leading returns the tools by which the orchestrator decides.
func Leading(o OrchestratorTools) []model.Tool {
	return readable([]model.Tool{
		say(o),
		newTool("report_root_cause", o.RootCause, enums(map[string][]any{
			"confidence":              degrees,
			"evidence.grade":          grades,
			"example":                 examples,
			"siblings.places.verdict": verdicts,
		}), brief(map[string]string{
			"evidence": "{claim, grade: observed|inferred, source?}",
			"example":  "the reporter's own, run here: fails|passes|cannot_run|none",
			"siblings": "{pattern: RE2, literal?, places: " +
				"[{at: file:line, verdict: affected|not_affected, why}]}",
			"expected_changes": "{test, was?, will}",
		})),
		newTool("report_diagnosis", o.Diagnosis, enums(map[string][]any{
			"risk.level":              {"LOW", "MEDIUM", "HIGH"},
			"evidence.grade":          grades,
			"hypotheses.outcome":      {"confirmed", "ruled_out", "open"},
			"example":                 examples,
			"siblings.places.verdict": verdicts,
		}), brief(map[string]string{
			"risk":             "{level: LOW|MEDIUM|HIGH, reason}",
			"evidence":         "{claim, grade, source?}",
			"hypotheses":       "{claim, probe, outcome: confirmed|ruled_out|open}",
			"example":          "fails|passes|cannot_run|none",
			"siblings":         "see the skill",
			"expected_changes": "{test, was?, will}",
		})),
		newTool(
			"restate_request", o.Restate,
			brief(map[string]string{
				"decisions":        "after an interview, each {question, answer}",
				"expected_changes": "{test, was?, will}",
			}),
		),
		newTool("propose_plan", o.ProposePlan, enums(map[string][]any{
			"tasks.category": categories, "tasks.skill": skills,
		}), brief(map[string]string{
			"tasks": "{title?: ten words, description, category, skill?, files: [], acceptance, " +
				"check, after?: [numbers]}",
			"expected_changes": "{test, was?, will}",
		})),
		newTool("delegate", func(ctx context.Context, in struct {
			Tasks []Assignment `json:"tasks"`
		},
		) (model.Result, error) {
			return o.Delegate(ctx, in.Tasks)
		}, enums(map[string][]any{"tasks.category": categories, "tasks.skill": skills}),
			brief(map[string]string{
				"tasks": "{title?: ten words for people, description, category: " +
					"quick|deep|visual-engineering, skill?: tdd|frontend-ui-ux|diagnose, after?: " +
					"[positions that come first], plan?: number in the approved plan}",
			})),
		newTool("ask", o.Ask, brief(map[string]string{"open": "in an interview, {question, recommended}"})),
		newTool("consult", func(ctx context.Context, in struct {
			Question string `json:"question"`
		},
		) (model.Result, error) {
			return o.Consult(ctx, in.Question)
		}),
		newTool("reply", func(ctx context.Context, in struct {
			Text string `json:"text"`
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
		blocked(o),
		last(newTool("finish", o.Finish, brief(map[string]string{
			"criteria": "{met, how: what shows it or why not, now?: as corrected}",
			"hunks":    "{id, keep?}",
		}))),
	})
}

// ReviewingPull returns the tool by which the orchestrator reports a review, for a session that is about a
// pull request.
func ReviewingPull(review func(context.Context, workflow.PullReview) (model.Result, error)) []model.Tool {
	return readable([]model.Tool{newTool("report_review", review, enums(map[string][]any{
		"findings.weight": {workflow.WeightMust, workflow.WeightShould, workflow.WeightNote},
	}), brief(map[string]string{
		"findings": "{at: file:line, weight: must|should|note, problem, change?}",
	}))})
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

// Criticising returns the tool that reviews a change before its push.
func Criticising(review func(context.Context, Review) (model.Result, error)) []model.Tool {
	return []model.Tool{newTool("review_change", review, enums(map[string][]any{
		"tests.shows": {"yes", "no"}, "criteria.verdict": {CriterionMet, CriterionNotMet, CriterionChanged},
		"findings.kind": {
			FoundDeadCode, FoundDebugOutput, FoundUnrelated, FoundEmptyTest, FoundMissedCaller,
			FoundConvention, FoundNotAsApproved, FoundPersonalData,
		},
	}))}
}

// Working returns the tools by which a worker speaks and ends its task.
func Working(w WorkerTools) []model.Tool {
	return readable([]model.Tool{
		say(w),
		newTool("bump",
			func(ctx context.Context, b Bump) (model.Result, error) { return w.Bump(ctx, b) }),
		last(newTool("done",
			func(ctx context.Context, d Done) (model.Result, error) { return w.Done(ctx, d) })),
		blocked(w),
	})
}

// last sets Last: a call of the tool is refused until the model has seen the failures before it.
func last(t model.Tool) model.Tool {
	t.EndsWork = true
	return t
}

// maxWords is the limit of the arguments of one call, in bytes. It is what people read in a thread, and a few
// replies in Slack.
const maxWords = 32 << 10

// readable makes tools refuse arguments longer than maxWords, so that a model that was talked into it, or
// went astray, cannot flood a thread. It also marks every tool but say as Kept: its calls are kept when a
// conversation is summarised. All are Untimed: the program carries out what an agent has decided.
func readable(tools []model.Tool) []model.Tool {
	for i, t := range tools {
		tools[i].KeepVerbatim = t.Name != "say"
		tools[i].Untimed = true
		tools[i].Call = func(ctx context.Context, args json.RawMessage) (model.Result, error) {
			if len(args) > maxWords {
				return model.Result{
					Wrong: true,
					Text: fmt.Sprintf("Not carried out: %d bytes are more than people read in a thread; "+
						"%s takes %d at most. Say what matters.", len(args), t.Name, maxWords),
				}, nil
			}
			return t.Call(ctx, args)
		}
	}
	return tools
}

// enums limits properties to the given values. A property is named by its dotted path through objects and
// arrays.
func enums(values map[string][]any) func(*jsonschema.Schema) {
	return func(root *jsonschema.Schema) {
		for path, list := range values {
			if s := property(root, path); s != nil {
				s.Enum = list
			}
		}
	}
}

// brief sets the one-line description that models get of the objects in these properties, or in arrays of
// them. Arguments are still checked against the whole schema.
func brief(forms map[string]string) func(*jsonschema.Schema) {
	return func(root *jsonschema.Schema) {
		for path, form := range forms {
			s := property(root, path)
			if s.Items != nil {
				s = s.Items
			}
			s.Comment = form
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
