package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/model/modeltest"
)

// A desk takes everything down as it was asked.
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

func (d *desk) Delegate(_ context.Context, t []Assignment) (model.Result, error) {
	return d.note("delegate", t)
}

func (d *desk) Ask(_ context.Context, q Question) (model.Result, error) { return d.note("ask", q) }

func (d *desk) Reply(_ context.Context, s string) (model.Result, error) { return d.note("reply", s) }

func (d *desk) NotForMe(_ context.Context, s string) (model.Result, error) { return d.note("not", s) }

func (d *desk) Finish(_ context.Context, s string) (model.Result, error) { return d.note("finish", s) }

func (d *desk) Done(_ context.Context, s string) (model.Result, error) { return d.note("done", s) }

func (d *desk) Blocked(_ context.Context, s string) (model.Result, error) {
	return d.note("blocked", s)
}

// What models are told before anything else has to stay as it is to the byte, or an
// endpoint's prefix cache misses; a change shows in the golden file's diff.
func TestStaticWordsArePinned(t *testing.T) {
	t.Parallel()
	table := Table(nil)
	var b strings.Builder
	size := 0
	for _, name := range []string{"orchestrator", "quick", "deep", "visual-engineering"} {
		fmt.Fprintf(&b, "=== %s\n%s\n\n", name, table[name].Prompt)
	}
	for _, tool := range append(Leading(&desk{}), Working(&desk{})...) {
		fmt.Fprintf(&b, "=== tool %s\n%s\n%s\n\n", tool.Name, tool.Description, tool.Schema)
		size += len(tool.Name) + len(tool.Description) + len(tool.Schema)
	}
	require.Less(t, size+len(table["orchestrator"].Prompt), 8<<10, "the words of one agent stay short")
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
		{"report_root_cause", `{"summary": "s", "cause": "c", "evidence": [{"claim": "x", "grade": "observed"}], "confidence": "high"}`},
		{"delegate", `{"tasks": [{"description": "mend", "category": "deep", "skill": "tdd"}]}`},
		{"ask", `{"question": "which?", "options": ["a", "b"], "recommended": "a"}`},
		{"reply", `{"text": "because"}`},
		{"not_for_me", `{"reason": "talk"}`},
		{"finish", `{"summary": "mended"}`},
	} {
		require.False(t, call(t, Leading(d), c[0], c[1]).Wrong, "%s %s", c[0], c[1])
	}
	for _, c := range [][2]string{{"say", `{"message": "x"}`}, {"done", `{"summary": "x"}`}, {"blocked", `{"reason": "x"}`}} {
		require.False(t, call(t, Working(d), c[0], c[1]).Wrong, "%s %s", c[0], c[1])
	}
	require.Len(t, d.heard, 10)
	require.Contains(t, d.heard[2], `"skill":"tdd"`)
}

func TestWrongCallsNeverReachTheDesk(t *testing.T) {
	t.Parallel()
	d := &desk{}
	for _, c := range [][2]string{
		{"delegate", `{"tasks": [{"description": "mend", "category": "huge"}]}`},
		{"delegate", `{"tasks": "mend"}`},
		{"report_root_cause", `{"summary": "s"}`},
		{"report_root_cause", `{"summary": "s", "cause": "c", "evidence": [{"claim": "x", "grade": "sure"}], "confidence": "high"}`},
		{"ask", `{"question": 3}`},
		{"finish", `{"summary": "x", "force": true}`},
		{"reply", `{`},
	} {
		r := call(t, Leading(d), c[0], c[1])
		require.True(t, r.Wrong, "%s %s", c[0], c[1])
		require.NotEmpty(t, r.Text)
	}
	require.Empty(t, d.heard)
}

// No agent is offered a tool by which it could approve, push or post past the program.
func TestNoToolGrantsAnything(t *testing.T) {
	t.Parallel()
	for _, tool := range append(Leading(&desk{}), Working(&desk{})...) {
		for _, never := range []string{"approve", "push", "commit", "merge", "post"} {
			require.NotContains(t, tool.Name, never)
		}
	}
}
