package tool

import (
	"context"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/tool/internal/output"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

type readArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset,omitempty"`
	Limit  int    `json:"limit,omitempty"`
}

func (e *Env) readFile(ctx context.Context, in readArgs) (string, error) {
	if kept, ok := strings.CutPrefix(in.Path, output.Prefix); ok {
		c, err := output.LoadOutput(e.OutputDir, kept)
		if err != nil {
			return "", err
		}
		return workfile.ShowPage(in.Path, c.Data, in.Offset, in.Limit)
	}
	if strings.HasPrefix(in.Path, attachmentPrefix) {
		return e.readAttachment(ctx, in)
	}
	if strings.TrimSpace(in.Path) == "" {
		return "", model.Mistake("Which file? Give its path; list_files shows what there is.")
	}
	e.changing.RLock() // so that the content that is remembered is the current one
	defer e.changing.RUnlock()
	at, err := e.find(ctx, in.Path)
	if err != nil {
		return "", err
	}
	defer at.close()
	if workfile.IsPrivate(in.Path) || workfile.IsPrivate(at.path) {
		return "", workfile.RefuseSecret(at.name)
	}
	c, err := at.load()
	if err != nil {
		return "", err
	}
	text, err := workfile.ShowPage(e.shown(c.Path), c.Data, in.Offset, in.Limit)
	if err == nil {
		e.seen.remember(c.Path, c.Data)
	}
	return text, err
}
