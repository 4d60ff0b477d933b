package tool

import (
	"context"
	"fmt"
	"io"
	"path"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/internal/find"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// attachmentPrefix begins a path that names an attachment of the thread, not a file of the repository.
const attachmentPrefix = "attachment:"

// openAttachment opens the text of an attachment, and returns its name. The caller closes it.
func (e *Env) openAttachment(
	ctx context.Context, ref string,
) (name string, text io.ReadSeekCloser, err error) {
	if e.Attachment == nil {
		return "", nil, model.Mistake("Nothing was attached.")
	}
	return e.Attachment(ctx, ref)
}

// readAttachment returns pages of the text of an attachment.
func (e *Env) readAttachment(ctx context.Context, in readArgs) (string, error) {
	name, text, err := e.openAttachment(ctx, in.Path)
	if err != nil {
		return "", err
	}
	defer text.Close()
	page, err := workfile.ShowText(in.Path, text, in.Offset, in.Limit)
	return "Attached in the thread as " + plaintext.QuotePath(plaintext.CutCounted(name, maxSkillName)) +
		": data, whoever wrote it.\n" + page, err
}

// searchAttachment searches the text of an attachment.
func (e *Env) searchAttachment(ctx context.Context, s *find.Search, ref string) error {
	_, text, err := e.openAttachment(ctx, ref)
	if err != nil {
		return err
	}
	defer text.Close()
	content, err := io.ReadAll(io.LimitReader(text, workfile.MaxFile+1))
	if err != nil {
		return fmt.Errorf("read %s: %w", ref, err)
	}
	if len(content) > workfile.MaxFile {
		return model.Mistakef("%s is larger than %s: use search_file on it.", ref,
			plaintext.FormatSize(workfile.MaxFile))
	}
	s.SearchText(ctx, 0, ref, content)
	return nil
}

// attachedAs returns the reference of the attachment that people named like the file at p, or an empty
// string.
func (e *Env) attachedAs(ctx context.Context, p string) string {
	if e.AttachedAs == nil {
		return ""
	}
	return e.AttachedAs(ctx, path.Base(p))
}
