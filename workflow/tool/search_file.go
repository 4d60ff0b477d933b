package tool

import (
	"bytes"
	"context"
	"io"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/internal/find"
	"github.com/bobbinhq/bobbin/workflow/tool/internal/output"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

type searchFileArgs struct {
	Path    string `json:"path"`
	Pattern string `json:"pattern"`
	Literal bool   `json:"literal,omitempty"`
	Page    int    `json:"page,omitempty"`
	Context *int   `json:"context,omitempty"` // nil: find.PageContext
}

// searchFile looks for a pattern in one file, which is streamed: an attached log may have 200 MB.
func (e *Env) searchFile(ctx context.Context, in searchFileArgs) (string, error) {
	s, err := find.NewSearch(in.Pattern, in.Literal)
	if err != nil {
		return "", err
	}
	text, err := e.openText(ctx, in.Path)
	if err != nil {
		return "", err
	}
	defer text.Close()
	around := find.PageContext
	if in.Context != nil {
		around = *in.Context
	}
	return s.Page(ctx, e.shown(in.Path), text, in.Page, around)
}

// openText opens the text of an attachment, a kept output or a file. The caller closes it.
func (e *Env) openText(ctx context.Context, p string) (io.ReadSeekCloser, error) {
	if strings.HasPrefix(p, attachmentPrefix) {
		_, text, err := e.openAttachment(ctx, p)
		return text, err
	}
	if kept, ok := strings.CutPrefix(p, output.Prefix); ok {
		c, err := output.LoadOutput(e.OutputDir, kept)
		return memory{bytes.NewReader(c.Data)}, err
	}
	at, err := e.find(ctx, p)
	if err != nil {
		return nil, err
	}
	defer at.close()
	if workfile.IsPrivate(p) || workfile.IsPrivate(at.path) {
		return nil, workfile.RefuseSecret(at.name)
	}
	c, err := at.load()
	if err == nil && workfile.IsBinary(c.Data) {
		err = model.Mistakef("%s is a binary file: it is not searched.", plaintext.QuotePath(p))
	}
	return memory{bytes.NewReader(c.Data)}, err
}

// memory is a text that is held in memory.
type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }
