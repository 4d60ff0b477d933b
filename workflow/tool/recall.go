package tool

import (
	"encoding/json"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/tool/patch"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
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
		sections, _ := patch.Parse(in.Patch)
		for _, s := range sections {
			paths = append(paths, s.Path)
		}
	}
	for _, p := range paths {
		real, err := workfile.ResolveTarget(b.Workspace.Root(), p)
		if err != nil || workfile.IsPrivate(real) {
			continue
		}
		if known, err := workfile.Load(b.Workspace.Root(), real); err == nil {
			b.seen.remember(real, known.Data)
		}
	}
}
