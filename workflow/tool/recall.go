package tool

import (
	"encoding/json"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/tool/internal/patch"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// Recall records in the Env of an interrupted agent the files that its conversation shows as read, edited
// or written, as they are now. Before an agent continues, its files are restored to what was recorded, so
// this is what the agent saw, except for what its own commands changed since.
func (e *Env) Recall(messages []model.Message) {
	calls := map[string]model.Call{}
	for _, m := range messages {
		for _, c := range m.Calls {
			calls[c.ID] = c
		}
		if c, ok := calls[m.CallID]; ok && m.Role == model.ToolRole && !m.Wrong {
			e.recall(c)
		}
	}
}

// recall records the files of a call that succeeded. A file that no longer exists is left out.
func (e *Env) recall(c model.Call) {
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
		if below, ok := scratchPath(p); ok {
			e.recallScratch(below)
			continue
		}
		real, err := workfile.ResolveTarget(e.Workspace.Root(), p)
		if err != nil || workfile.IsPrivate(real) {
			continue
		}
		if known, err := workfile.Load(e.Workspace.Root(), real); err == nil {
			e.seen.remember(real, known.Data)
		}
	}
}

// recallScratch records a file of the scratch folder as it is now, which may be gone on another machine.
func (e *Env) recallScratch(below string) {
	at, err := e.Commands.scratch().open(below)
	if err != nil {
		return
	}
	defer at.close()
	if c, err := at.load(); err == nil {
		e.seen.remember(c.Path, c.Data)
	}
}
