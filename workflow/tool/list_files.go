package tool

import (
	"context"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/internal/find"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

type listArgs struct {
	Path string `json:"path,omitempty"`
	Glob string `json:"glob,omitempty"`
}

// listFiles shows everything below a folder if that is little, else only the folder's entries, with the
// number of files in each of its folders.
func (e *Env) listFiles(ctx context.Context, in listArgs) (string, error) {
	start, err := e.explored(ctx, in.Path)
	if err != nil {
		return "", err
	}
	root := e.Workspace.Root()
	if info, err := root.Stat(start); err != nil {
		return "", workfile.ExplainPathError(start, err)
	} else if !info.IsDir() {
		return "", model.Mistakef("%s is a file: use read_file.", plaintext.QuotePath(start))
	}
	text, err := find.ListFolder(ctx, root, start, in.Glob)
	return e.pathsOf(text), err
}
