package tool

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// maxDescribed is the limit, in bytes, of what all tools together add to every request.
const maxDescribed = 7 << 10

// described returns the tools as models see them, one per line.
func described(t *testing.T) []byte {
	var all bytes.Buffer
	for _, tool := range allTools(&Env{}) {
		line, err := json.Marshal(struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Schema      json.RawMessage `json:"schema"`
		}{tool.Name, tool.Description, tool.Schema})
		require.NoError(t, err)
		all.Write(append(line, '\n'))
	}
	return all.Bytes()
}

// The tools are at the beginning of every request. If one byte of them changes, an endpoint's cache of the
// request is useless.
func TestToolsAreDescribedAlwaysAlike(t *testing.T) {
	t.Parallel()
	golden := filepath.Join("testdata", "tools.golden")
	got := described(t)
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(golden, got, 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "if this is meant, run the test with UPDATE_GOLDEN=1")
	require.LessOrEqual(t, len(got), maxDescribed)
	t.Logf("%d tools, %d bytes", bytes.Count(got, []byte{'\n'}), len(got))
}

func TestEveryToolRefusesWhatItsSchemaDoes(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"a.txt": "a\n"})
	for _, tool := range allTools(b) {
		for _, raw := range []string{
			``, `null`, `[]`, `"x"`, `{"no_such_field":1}`, `{"path":1}`, `{"path":"a.txt","offset":"x"}`,
			`{`, `{"path":"a.txt"} {"path":"a.txt"}`,
		} {
			r, err := tool.Call(t.Context(), json.RawMessage(raw))
			require.NoError(t, err, "%s %s", tool.Name, raw)
			if !r.Wrong && raw != `` && raw != `null` {
				t.Errorf("%s took %s", tool.Name, raw)
			}
		}
	}
}
