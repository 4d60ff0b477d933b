package tool

import (
	"encoding/json"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// Recall makes the Bench of an agent that was interrupted know what its conversation shows
// it to have seen: the files that it read, edited or wrote, as they are now. They are put
// back to what was recorded before an agent goes on, so that is what it saw, but for what a
// command of its own changed since.
func (b *Bench) Recall(messages []model.Message) {
	calls := map[string]model.Call{}
	for _, m := range messages {
		for _, c := range m.Calls {
			calls[c.ID] = c
		}
		if c, ok := calls[m.CallID]; ok && m.Role == model.ToolRole && !m.Wrong {
			b.recall(c)
		}
	}
}

// recall is one call that was carried out. Whatever is not there any more is not known.
func (b *Bench) recall(c model.Call) {
	var in struct{ Path, Patch string }
	if json.Unmarshal(c.Args, &in) != nil {
		return
	}
	var paths []string
	switch c.Name {
	case "read_file", "edit_file", "write_file":
		paths = []string{in.Path}
	case "apply_patch":
		sections, _ := parsePatch(in.Patch)
		for _, s := range sections {
			paths = append(paths, s.path)
		}
	}
	for _, p := range paths {
		real, err := target(b.Workspace.Root(), p)
		if err != nil || Private(real) {
			continue
		}
		if known, err := load(b.Workspace.Root(), real); err == nil {
			b.remember(real, known.data)
		}
	}
}
