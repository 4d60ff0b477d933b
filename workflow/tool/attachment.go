package tool

import (
	"context"
	"path"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// attachmentPrefix begins a path that names an attachment of the thread, not a file of the repository.
const attachmentPrefix = "attachment:"

// openAttachment returns the name and the content of an attachment.
func (e *Env) openAttachment(ctx context.Context, ref string) (name string, content []byte, err error) {
	if e.Attachment == nil {
		return "", nil, model.Mistake("Nothing was attached.")
	}
	return e.Attachment(ctx, ref)
}

// attachedAs returns the reference of the attachment that people named like the file at p, or an empty
// string.
func (e *Env) attachedAs(ctx context.Context, p string) string {
	if e.AttachedAs == nil {
		return ""
	}
	return e.AttachedAs(ctx, path.Base(p))
}
