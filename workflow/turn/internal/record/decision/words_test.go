package decision

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/model/modeltest"
)

// A desk is a fake of OrchestratorTools and WorkerTools that records each call.
type desk struct{ heard []string }

func (d *desk) note(what string, v any) (model.Result, error) {
	b, err := json.Marshal(v)
	d.heard = append(d.heard, what+" "+string(b))
	return model.Result{Text: "noted"}, err
}

func (d *desk) Say(_ context.Context, s string) (model.Result, error) { return d.note("say", s) }

func (d *desk) RootCause(_ context.Context, c RootCause) (model.Result, error) {
	return d.note("root cause", c)
}

func (d *desk) Diagnosis(_ context.Context, v workflow.DiagnosisReport) (model.Result, error) {
	return d.note("diagnosis", v)
}

func (d *desk) Restate(_ context.Context, v workflow.Request) (model.Result, error) {
	return d.note("restate", v)
}

func (d *desk) ProposePlan(_ context.Context, v workflow.Plan) (model.Result, error) {
	return d.note("plan", v)
}

func (d *desk) Consult(_ context.Context, q string) (model.Result, error) {
	return d.note("consult", q)
}

func (d *desk) advise(_ context.Context, v workflow.Advice) (model.Result, error) {
	return d.note("advise", v)
}

func (d *desk) readThread(_ context.Context, q ThreadQuestion) (model.Result, error) {
	return d.note("read thread", q)
}

func (d *desk) explain(_ context.Context, v Explanation) (model.Result, error) {
	return d.note("explain", v)
}

func (d *desk) review(_ context.Context, r Review) (model.Result, error) {
	return d.note("review", r)
}

func (d *desk) reviewPull(_ context.Context, r workflow.PullReview) (model.Result, error) {
	return d.note("review of a pull request", r)
}

func (d *desk) judge(_ context.Context, v Judgement) (model.Result, error) {
	return d.note("judge", v)
}

// everyTool returns the tools of all agents.
func everyTool(d *desk) []model.Tool {
	tools := append(Leading(d), Working(d)...)
	tools = append(tools, Advising(d, d.advise)...)
	tools = append(tools, Criticising(d.review)...)
	tools = append(tools, ReviewingPull(d.reviewPull)...)
	tools = append(tools, ReadingThread(d.readThread))
	return append(append(tools, Explaining(d.explain)...), Reviewing(d.judge)...)
}

func (d *desk) Delegate(_ context.Context, t []Assignment) (model.Result, error) {
	return d.note("delegate", t)
}

func (d *desk) Ask(_ context.Context, q Question) (model.Result, error) { return d.note("ask", q) }

func (d *desk) Reply(_ context.Context, s string) (model.Result, error) { return d.note("reply", s) }

func (d *desk) NotForMe(_ context.Context, s string) (model.Result, error) { return d.note("not", s) }

func (d *desk) Finish(_ context.Context, f Finish) (model.Result, error) { return d.note("finish", f) }

func (d *desk) Done(_ context.Context, v Done) (model.Result, error) { return d.note("done", v) }

func (d *desk) Bump(_ context.Context, b Bump) (model.Result, error) { return d.note("bump", b) }

func (d *desk) Blocked(_ context.Context, s string) (model.Result, error) {
	return d.note("blocked", s)
}

// Prompts and tool descriptions have to stay the same to the byte, or an endpoint's prefix cache misses. A
// change shows in the diff of the golden file.
func TestStaticWordsArePinned(t *testing.T) {
	t.Parallel()
	table := agent.Table(nil)
	var b strings.Builder
	for _, name := range []string{
		"orchestrator", "quick", "deep", "visual-engineering", "consultant", "explainer", "reviewer",
		"critic",
	} {
		fmt.Fprintf(&b, "=== %s\n%s\n\n", name, table[name].Prompt)
	}
	for _, tool := range everyTool(&desk{}) {
		fmt.Fprintf(&b, "=== tool %s\n%s\n%s\n\n", tool.Name, tool.Description, tool.Schema)
	}
	modeltest.Golden(t, b.String(), "testdata/words.golden")
}

func call(t *testing.T, tools []model.Tool, name, args string) model.Result {
	t.Helper()
	for _, tool := range tools {
		if tool.Name == name {
			r, err := tool.Call(t.Context(), json.RawMessage(args))
			require.NoError(t, err)
			return r
		}
	}
	t.Fatalf("no tool %s", name)
	return model.Result{}
}

func TestDecidingToolsReachTheDesk(t *testing.T) {
	t.Parallel()
	d := &desk{}
	for _, c := range [][2]string{
		{"say", `{"message": "looking"}`},
		{
			"report_root_cause",
			`{"summary": "s", "cause": "c", "evidence": [{"claim": "x", "grade": "observed"}], ` +
				`"confidence": "high", "remains": "nothing"}`,
		},
		{"delegate", `{"tasks": [{"description": "fix", "category": "deep", "skill": "tdd"}]}`},
		{
			"report_diagnosis",
			`{"bug": "b", "root_cause": "c", "affected_scope": ["all"], "proposed_fix": ["fix"],
			"risk": {"level": "LOW", "reason": "small"},
			"hypotheses": [{"claim": "x", "probe": "y", "outcome": "confirmed"}],
			"evidence": [{"claim": "x", "grade": "observed"}], "remains": "nothing"}`,
		},
		{
			"restate_request",
			`{"surface_area": "cart", "done_criteria": ["a test passes"], "files": ["cart.go"]}`,
		},
		{
			"propose_plan",
			`{"title": "t", "summary": "s", "tasks": [{"description": "d", "category": "deep", "files": ` +
				`[], "acceptance": "a", "check": "c"}], "risks": [], "verification": "v"}`,
		},
		{"consult", `{"question": "is it the proxy?"}`},
		{
			"ask",
			`{"question": "which?", "options": ["a", "b"], "recommended": "a", "open": [{"question": ` +
				`"when?", "recommended": "now"}]}`,
		},
		{"reply", `{"text": "because"}`},
		{"not_for_me", `{"reason": "talk"}`},
		{"finish", `{"summary": "fixed"}`},
	} {
		require.False(t, call(t, Leading(d), c[0], c[1]).Wrong, "%s %s", c[0], c[1])
	}
	for _, c := range [][2]string{
		{"say", `{"message": "x"}`}, {"done", `{"summary": "x"}`}, {"blocked", `{"reason": "x"}`},
	} {
		require.False(t, call(t, Working(d), c[0], c[1]).Wrong, "%s %s", c[0], c[1])
	}
	for _, c := range [][2]string{
		{"advise", `{"bottom_line": "b", "steps": ["s"], "effort": "quick", "confidence": "high"}`},
		{"explain_diff", `{"summary": "s", "hunks": [{"number": 1, "why": "w"}]}`},
		{"judge_hunks", `{"hunks": [{"number": 1, "inside": true, "why": "w"}]}`},
		{"read_thread", `{"from": 2, "words": "flag", "person": "ann"}`},
	} {
		require.False(t, call(t, everyTool(d), c[0], c[1]).Wrong, "%s %s", c[0], c[1])
	}
	require.Len(t, d.heard, 18)
	require.Contains(t, d.heard[2], `"skill":"tdd"`)
}

func TestWrongCallsNeverReachTheDesk(t *testing.T) {
	t.Parallel()
	d := &desk{}
	for _, c := range [][2]string{
		{"delegate", `{"tasks": [{"description": "fix", "category": "huge"}]}`},
		{"delegate", `{"tasks": "fix"}`},
		{"report_root_cause", `{"summary": "s"}`},
		{
			"report_root_cause",
			`{"summary": "s", "cause": "c", "evidence": [{"claim": "x", "grade": "sure"}], "confidence": ` +
				`"high"}`,
		},
		{"ask", `{"question": 3}`},
		{
			"report_diagnosis",
			`{"bug": "b", "root_cause": "c", "affected_scope": ["all"], "proposed_fix": ["fix"], "risk": ` +
				`{"level": "SOME", "reason": "r"}, "hypotheses": [], "evidence": []}`,
		},
		{"propose_plan", `{"title": "t"}`},
		{"finish", `{"summary": "x", "force": true}`},
		{"reply", `{`},
	} {
		r := call(t, Leading(d), c[0], c[1])
		require.True(t, r.Wrong, "%s %s", c[0], c[1])
		require.NotEmpty(t, r.Text)
	}
	require.Empty(t, d.heard)
}

// No agent has a tool that could approve, push or post without the program.
func TestNoToolGrantsAnything(t *testing.T) {
	t.Parallel()
	for _, tool := range everyTool(&desk{}) {
		for _, never := range []string{"approve", "push", "commit", "merge", "post"} {
			require.NotContains(t, tool.Name, never)
		}
	}
}

// Tools that end the work are Last: their calls wait until the model has seen the failures before them.
func TestWhatClaimsAnEndIsLast(t *testing.T) {
	t.Parallel()
	var names []string
	for _, tool := range everyTool(&desk{}) {
		if tool.EndsWork {
			names = append(names, tool.Name)
		}
	}
	require.Equal(t, []string{"finish", "done"}, names)
}

// Calls with more text than people read in a thread are refused.
func TestNobodyFloodsAThread(t *testing.T) {
	t.Parallel()
	d := &desk{}
	for _, tool := range append(Leading(d), Working(d)...) {
		args, err := json.Marshal(map[string]string{"message": strings.Repeat("x", maxWords)})
		require.NoError(t, err)
		got, err := tool.Call(t.Context(), args)
		require.NoError(t, err)
		require.True(t, got.Wrong)
		require.Contains(t, got.Text, "more than people read in a thread")
	}
	require.Empty(t, d.heard)
	_, err := Working(d)[0].Call(t.Context(),
		json.RawMessage(`{"message":"`+strings.Repeat("x", maxWords-20)+`"}`))
	require.NoError(t, err)
	require.Len(t, d.heard, 1)
}
