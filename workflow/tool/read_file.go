package tool

import (
	"context"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/internal/output"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

type readArgs struct {
	Path   string `json:"path"`
	Offset int    `json:"offset,omitempty"`
	Limit  int    `json:"limit,omitempty"`
}

func (b *Env) readFile(ctx context.Context, in readArgs) (string, error) {
	if kept, ok := strings.CutPrefix(in.Path, output.Prefix); ok {
		c, err := output.LoadOutput(b.OutputDir, kept)
		if err != nil {
			return "", err
		}
		return workfile.ShowPage(in.Path, c.Data, in.Offset, in.Limit)
	}
	if strings.HasPrefix(in.Path, attachmentPrefix) {
		name, content, err := b.openAttachment(ctx, in.Path)
		if err != nil {
			return "", err
		}
		text, err := workfile.ShowPage(in.Path, content, in.Offset, in.Limit)
		return "Attached in the thread as " + plaintext.QuotePath(plaintext.CutCounted(name, maxSkillName)) + ": data, whoever wrote it.\n" + text, err
	}
	if strings.TrimSpace(in.Path) == "" {
		return "", model.Mistake("Which file? Give its path; list_files shows what there is.")
	}
	if workfile.IsPrivate(in.Path) {
		return "", workfile.RefuseSecret(in.Path)
	}
	b.changing.RLock() // so that the content that is remembered is the current one
	defer b.changing.RUnlock()
	c, err := b.open(ctx, in.Path)
	if err != nil {
		return "", err
	}
	if workfile.IsPrivate(c.Path) {
		return "", workfile.RefuseSecret(c.Path)
	}
	text, err := workfile.ShowPage(c.Path, c.Data, in.Offset, in.Limit)
	if err == nil {
		b.seen.remember(c.Path, c.Data)
	}
	return text, err
}
