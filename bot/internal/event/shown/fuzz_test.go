package shown

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// FuzzRead checks that whatever a message holds, what is read of it is bounded, and what was not
// read is named in one line each.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("../testdata/messages/*hostile*.json")
	require.NoError(f, err)
	require.NotEmpty(f, files)
	for _, name := range files {
		raw, err := os.ReadFile(name)
		require.NoError(f, err)
		var sample struct{ Message json.RawMessage }
		require.NoError(f, json.Unmarshal(raw, &sample), name)
		f.Add([]byte(sample.Message))
	}
	f.Add([]byte(`{"blocks":` + strings.Repeat(`[{"elements":`, 100) + `1` + strings.Repeat(`}]`, 100) + `}`))
	f.Add([]byte(`{"text":7,"blocks":[{"type":"table","rows":[[{"text":{"a":1}}],7,null]}]}`))
	f.Add([]byte(`{"attachments":[[],{"fields":7,"message_blocks":[{"message":7}]}]}`))
	f.Fuzz(func(t *testing.T, message []byte) {
		m := Read(message)
		require.LessOrEqual(t, len(m.Parts), maxParts)
		require.LessOrEqual(t, len(m.Unread), maxUnread)
		size := 0
		lines := m.Lines
		for _, p := range m.Parts {
			lines = append(lines, p.Lines...)
		}
		for _, l := range lines {
			size += utf8.RuneCountInString(l.Text)
		}
		require.LessOrEqual(t, size, 3*maxChars)
		for _, u := range m.Unread {
			require.NotContains(t, u, "\n")
		}
	})
}
