package compaction

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzShortArgs checks that shortened arguments are still a JSON object that an endpoint can read, and that
// its strings are short.
func FuzzShortArgs(f *testing.F) {
	long := string(make([]byte, 3*longPart))
	for _, seed := range []string{`{}`, `{"a":1}`, `[1]`, `"x`, `{"content":"` + long + `"}`, `{"a":{"b":[]}}`, "\xff"} {
		f.Add(seed, "a line of a file\n", 500)
	}
	f.Fuzz(func(t *testing.T, args, part string, times int) {
		if times < 0 || len(part)*times > 64<<10 || !utf8.ValidString(part) {
			return
		}
		text := ""
		for range times {
			text += part
		}
		quoted, err := json.Marshal(text)
		require.NoError(t, err)
		for _, whole := range []string{args, args + text, `{"path":"a","content":` + string(quoted) + `}`} {
			got := shortArgs(json.RawMessage(whole))
			if len(whole) <= 2*longPart {
				require.Equal(t, whole, string(got))
				continue
			}
			var object map[string]json.RawMessage
			require.NoError(t, json.Unmarshal(got, &object), "%q", got)
			for _, value := range object {
				var s string
				if json.Unmarshal(value, &s) == nil {
					require.LessOrEqual(t, len(s), longPart+200)
				}
			}
		}
	})
}
