package chatmodel_test

import (
	"strings"
	"testing"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness/chatmodel"
)

// InvalidRequest reports each kind of mistake, and nothing in a valid request.
func TestInvalidRequestsAreFoundOut(t *testing.T) {
	t.Parallel()
	const call = `{"role":"assistant","tool_calls":[{"id":"a","type":"function","function":{"name":"say",` +
		`"arguments":"{}"}}]}`
	const result = `{"role":"tool","tool_call_id":"a","content":"x"}`
	for messages, want := range map[string]string{
		call:                               "calls without a result: a",
		call + "," + result + "," + result: "the result of",
		result:                             "the result of",
		call + `,{"role":"user","content":"x"},` + result:          "calls without a result: a",
		call + "," + result + "," + call + "," + result:            "the id a twice",
		strings.ReplaceAll(call, `"{}"`, `"{\"me"`) + "," + result: "arguments that are no object",
		strings.ReplaceAll(call+","+result, `"a"`, `"half-1"`):     "half a call",
		strings.ReplaceAll(call, `"say"`, `"a.b"`) + "," + result:  "a tool's name that is none: a.b",
		`{"role":"assistant","content":" "}`:                       "an empty message of assistant",
		call + "," + result:                                        "",
	} {
		body := `{"messages":[{"role":"system","content":"s"},{"role":"user","content":"u"},` + messages +
			`]}`
		got := strings.Join(chatmodel.InvalidRequest([]byte(body)), "; ")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", messages, got, want)
		}
	}
}
