package tool

import (
	"bytes"
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/internal/patch"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

type writeArgs struct {
	Path    string `json:"path"`
	Content string `json:"content"`
}

func (b *Env) writeFile(_ context.Context, in writeArgs) (string, error) {
	if err := b.mayWrite(); err != nil {
		return "", err
	}
	b.changing.Lock()
	defer b.changing.Unlock()
	real, err := workfile.ResolveTarget(b.Workspace.Root(), in.Path)
	if err == nil {
		err = b.mayTouch(real)
	}
	if err != nil {
		return "", err
	}
	data, err := workfile.CheckText(in.Content)
	if err != nil {
		return "", err
	}
	was, exists, err := workfile.LoadExisting(b.Workspace.Root(), real)
	if err != nil {
		return "", err
	}
	if !exists {
		return b.create(real, data)
	}
	return b.overwrite(was, data)
}

func (b *Env) create(p string, data []byte) (string, error) {
	if err := workfile.Store(b.Workspace.Root(), p, data, 0o644); err != nil {
		return "", err
	}
	b.seen.remember(p, data)
	b.edited()
	return fmt.Sprintf("%s written: new, %s\n", plaintext.QuotePath(p), workfile.CountLines(data)) + patch.FindSyntaxErrors(p, data), nil
}

func (b *Env) overwrite(was workfile.Content, data []byte) (string, error) {
	if err := b.seen.knows(was.Path, was.Data); err != nil {
		return "", err
	}
	if !workfile.IsBinary(was.Data) && !utf8.Valid(was.Data) {
		return "", model.Mistakef("%s holds bytes that are not UTF-8 and would be lost: use edit_file on the lines that are text, or run, with sed.", plaintext.QuotePath(was.Path))
	}
	if was.EndsInCRLF() && !bytes.Contains(data, []byte("\r\n")) {
		data = workfile.ToCRLF(string(data))
	}
	if bytes.Equal(was.Data, data) {
		return fmt.Sprintf("%s holds just that already: nothing was changed.", plaintext.QuotePath(was.Path)), nil
	}
	if err := workfile.Store(b.Workspace.Root(), was.Path, data, was.Mode); err != nil {
		return "", err
	}
	b.seen.remember(was.Path, data)
	b.edited()
	return fmt.Sprintf("%s written: %s\n%s", plaintext.QuotePath(was.Path), workfile.CountLines(data), patch.ShortDiff(was.Data, data)) + patch.FindSyntaxErrors(was.Path, data), nil
}
