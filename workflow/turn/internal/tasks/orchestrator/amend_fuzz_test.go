package orchestrator

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzCompleted checks that two calls of any form are joined to arguments that can be read, or left as they
// are.
func FuzzCompleted(f *testing.F) {
	f.Add(`{"cause":"a","siblings":{"pattern":"x","places":[{"at":"a.go:1"}]}}`,
		`{"siblings":{"places":[{"at":"a.go:1","why":"b"},{"at":["x"]}]}}`)
	f.Add(`{"pattern":{},"places":[{"at":{}}]}`, `{"pattern":{},"places":[{"at":{}},1,null]}`)
	f.Add(`[]`, `{`)
	f.Fuzz(func(t *testing.T, older, newer string) {
		out := completed(json.RawMessage(older), json.RawMessage(newer), []string{"cause"})
		if string(out) != older && string(out) != newer {
			require.True(t, json.Valid(out), string(out))
		}
	})
}
