package tool

import (
	"context"

	"github.com/bobbinhq/bobbin/workflow/tool/internal/find"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

type outlineArgs struct {
	Path string `json:"path"`
}

// outline shows the symbols of a file, or of each file of a folder.
func (e *Env) outline(ctx context.Context, in outlineArgs) (string, error) {
	start, err := e.explored(ctx, in.Path)
	if err != nil {
		return "", err
	}
	info, err := e.Workspace.Root().Stat(start)
	if err != nil {
		return "", workfile.ExplainPathError(start, err)
	}
	of := find.OutlineFile
	if info.IsDir() {
		of = find.OutlineFolder
	}
	text, err := of(e.Workspace.Root(), start)
	return e.pathsOf(text), err
}
