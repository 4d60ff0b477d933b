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

func (e *Env) writeFile(ctx context.Context, in writeArgs) (string, error) {
	e.changing.Lock()
	defer e.changing.Unlock()
	at, err := e.findChangeable(ctx, in.Path, true)
	if err != nil {
		return "", err
	}
	defer at.close()
	data, err := workfile.CheckText(in.Content)
	if err != nil {
		return "", err
	}
	if at.scratch {
		if err := e.Commands.scratch().refuseMore(len(data)); err != nil {
			return "", err
		}
	}
	was, exists, err := workfile.LoadExisting(at.root, at.path)
	if err != nil {
		return "", err
	}
	was.Path = at.name
	if !exists {
		return e.create(at, data)
	}
	return e.overwrite(at, was, data)
}

func (e *Env) create(at place, data []byte) (string, error) {
	if err := at.store(data, 0o644); err != nil {
		return "", err
	}
	e.changed(at, data)
	return fmt.Sprintf("%s written: new, %s\n", plaintext.QuotePath(at.name),
		workfile.CountLines(data)) + patch.FindSyntaxErrors(at.path, data), nil
}

func (e *Env) overwrite(at place, was workfile.Content, data []byte) (string, error) {
	if err := e.seen.knows(was.Path, was.Data); err != nil {
		return "", err
	}
	if !workfile.IsBinary(was.Data) && !utf8.Valid(was.Data) {
		return "", model.Mistakef("%s holds bytes that are not UTF-8 and would be lost: "+
			"use edit_file on the lines that are text, or run, with sed.", plaintext.QuotePath(was.Path))
	}
	if was.EndsInCRLF() && !bytes.Contains(data, []byte("\r\n")) {
		data = workfile.ToCRLF(string(data))
	}
	if bytes.Equal(was.Data, data) {
		return fmt.Sprintf("%s holds just that already: nothing was changed.",
			plaintext.QuotePath(was.Path)), nil
	}
	if err := at.store(data, was.Mode); err != nil {
		return "", err
	}
	e.changed(at, data)
	return fmt.Sprintf("%s written: %s\n%s", plaintext.QuotePath(was.Path), workfile.CountLines(data),
		patch.ShortDiff(was.Data, data)) + patch.FindSyntaxErrors(was.Path, data), nil
}
