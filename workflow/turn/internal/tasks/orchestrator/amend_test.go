package orchestrator

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// A refused report is completed by a call with the missing part alone. A call with all that is required
// stands for itself, and so does one after a report that was taken.
func TestARefusedReportIsCompletedByWhatItLacked(t *testing.T) {
	t.Parallel()
	const whole = `{"cause":"a.go:1","evidence":["e"],"siblings":{"pattern":"x","places":[
		{"at":"a.go:2","verdict":"affected"},{"at":"b.go:3","verdict":"affected"}]}}`
	for _, c := range []struct{ name, earlier, refusedToo, call, want string }{
		{
			"the missing part", whole, "",
			`{"remains":"nothing"}`,
			`{"cause":"a.go:1","evidence":["e"],"remains":"nothing","siblings":{"pattern":"x","places":[
			{"at":"a.go:2","verdict":"affected"},{"at":"b.go:3","verdict":"affected"}]}}`,
		},
		{
			"a place more", whole, "",
			`{"siblings":{"places":[{"at":"b.go:3","verdict":"not_affected"}]}}`,
			`{"cause":"a.go:1","evidence":["e"],"siblings":{"pattern":"x","places":[
			{"at":"a.go:2","verdict":"affected"},{"at":"b.go:3","verdict":"not_affected"}]}}`,
		},
		{
			"another pattern", whole, "",
			`{"siblings":{"pattern":"y","places":[]}}`,
			`{"cause":"a.go:1","evidence":["e"],"siblings":{"pattern":"y","places":[]}}`,
		},
		{
			"two parts, one after the other", `{"cause":"a.go:1"}`, `{"evidence":["f"]}`,
			`{"remains":"it hangs"}`,
			`{"cause":"a.go:1","evidence":["f"],"remains":"it hangs"}`,
		},
		{
			"a whole call", whole, "",
			`{"cause":"b.go:1","evidence":["f"],"remains":"nothing"}`,
			`{"cause":"b.go:1","evidence":["f"],"remains":"nothing"}`,
		},
		{"an unreadable one before", `{"cause":`, "", `{"remains":"nothing"}`, `{"remains":"nothing"}`},
		{"nothing before", "", "", `{"remains":"nothing"}`, `{"remains":"nothing"}`},
	} {
		var past []model.Message
		add := func(id, args string, wrong bool) {
			call := model.Call{ID: id, Name: "report_root_cause", Args: json.RawMessage(args)}
			past = append(past, model.Message{Calls: []model.Call{call}},
				model.Message{Role: model.ToolRole, CallID: id, Wrong: wrong})
		}
		var got string
		tools := Amendable([]model.Tool{{
			Name:   "report_root_cause",
			Schema: json.RawMessage(`{"required":["cause","evidence","remains"]}`),
			Call: func(_ context.Context, args json.RawMessage) (model.Result, error) {
				got = string(args)
				return model.Result{Text: "no", Wrong: true}, nil
			},
		}}, func() []model.Message { return past })
		for i, earlier := range []string{c.earlier, c.refusedToo} {
			if earlier != "" {
				add(string(rune('a'+i)), earlier, true)
			}
		}
		r, err := tools[0].Call(t.Context(), json.RawMessage(c.call))
		require.NoError(t, err)
		require.JSONEq(t, c.want, got, c.name)
		require.Contains(t, r.Text, amendNote)
		add("taken", c.call, false)
		_, err = tools[0].Call(t.Context(), json.RawMessage(`{"remains":"more"}`))
		require.NoError(t, err)
		require.JSONEq(t, `{"remains":"more"}`, got, "%s: a report that was taken completes no other", c.name)
	}
}
