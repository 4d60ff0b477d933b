package tool

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// An interrupted agent need not read its files again. It does not know a file whose read was refused or has
// no result, or that it only searched.
func TestAnInterruptedAgentKnowsWhatItSaw(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{
		"cart.go":     cart,
		"new.txt":     "one\n",
		"patched.txt": "two\n",
		"refused.txt": "three\n",
		"other.txt":   "four\n",
	})
	var said []model.Message
	call := func(id, name string, wrong bool, in args) {
		raw, err := json.Marshal(in)
		require.NoError(t, err)
		said = append(said,
			model.Message{Role: model.Assistant, Calls: []model.Call{{ID: id, Name: name, Args: raw}}},
			model.Message{Role: model.ToolRole, CallID: id, Wrong: wrong})
	}
	call("1", "read_file", false, args{"path": "./cart.go"})
	call("2", "write_file", false, args{"path": "new.txt", "content": "one\n"})
	call("3", "apply_patch", false, args{
		"patch": "*** Begin Patch\n*** Update File: patched.txt\n@@\n-one\n+two\n*** End Patch\n",
	})
	call("4", "read_file", true, args{"path": "refused.txt"})
	call("5", "read_file", false, args{"path": "../../etc/passwd"})
	call("6", "read_file", false, args{"path": "gone.txt"})
	call("7", "search", false, args{"pattern": "four", "path": "other.txt"})
	said = append(said, model.Message{
		Role:  model.Assistant,
		Calls: []model.Call{{ID: "8", Name: "read_file", Args: json.RawMessage(`{"path":"other.txt"}`)}},
	})

	edit := args{"path": "cart.go", "old": "it.Price", "new": "it.Cost"}
	require.Contains(t, b.refused(t, "edit_file", edit), "has to be read before", "without it")
	b.Recall(said)
	b.ok(t, "edit_file", edit)
	b.ok(t, "edit_file", args{"path": "new.txt", "old": "one", "new": "uno"})
	b.ok(t, "edit_file", args{"path": "patched.txt", "old": "two", "new": "due"})
	for _, path := range []string{"refused.txt", "other.txt"} {
		require.Contains(t, b.refused(t, "edit_file", args{"path": path, "old": "r", "new": "s"}),
			"has to be read before", path)
	}
}
