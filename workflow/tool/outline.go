package tool

import (
	"context"

	"github.com/bobbinhq/bobbin/workflow/tool/find"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

type outlineArgs struct {
	Path string `json:"path"`
}

// outline shows the symbols of a file, or of each file of a folder.
func (b *Env) outline(ctx context.Context, in outlineArgs) (string, error) {
	start, err := b.explored(ctx, in.Path)
	if err != nil {
		return "", err
	}
	info, err := b.Workspace.Root().Stat(start)
	switch {
	case err != nil:
		return "", workfile.ExplainPathError(start, err)
	case info.IsDir():
		return find.OutlineFolder(b.Workspace.Root(), start)
	}
	return find.OutlineFile(b.Workspace.Root(), start)
}
