package bot

import (
	"encoding/json"
	"testing"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"
)

// FuzzPage checks that each message of a page keeps its own JSON, and that a page which cannot be divided
// keeps none.
func FuzzPage(f *testing.F) {
	for _, seed := range []string{
		`{"messages":[{"ts":"1.1","text":"a","blocks":[{"type":"table","rows":[]}]},{"ts":"1.2"}]}`,
		`{"messages":[null,{"ts":"1.1"}]}`, `{"messages":{"ts":"1.1"}}`, `{"messages":[{"ts":"1.1"}]`, `[]`,
		``,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, answer []byte) {
		var read slack.GetConversationHistoryResponse
		if json.Unmarshal(answer, &read) != nil {
			read.Messages = make([]slack.Message, 2) // as if slack-go had read more than there is
		}
		var body ResponseBody
		body.body.Write(answer)
		page := body.pair(read.Messages)
		require.Len(t, page, len(read.Messages))
		for i, m := range page {
			require.Equal(t, read.Messages[i], m.Message)
			var own struct{ TS string }
			if m.Raw != nil && json.Unmarshal(m.Raw, &own) == nil {
				require.Equal(t, m.Timestamp, own.TS)
			}
		}
	})
}
