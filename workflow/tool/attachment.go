package tool

import (
	"context"
	"path"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// attachmentPrefix before a path names what people attached, not a file of the repository.
const attachmentPrefix = "attachment:"

// openAttachment reads what people attached.
func (b *Bench) openAttachment(ctx context.Context, ref string) (name string, content []byte, err error) {
	if b.Attachment == nil {
		return "", nil, model.Mistake("Nothing was attached.")
	}
	return b.Attachment(ctx, ref)
}

// attachedAs is what people attached, where a model calls it by their name for it.
func (b *Bench) attachedAs(ctx context.Context, p string) string {
	if b.AttachedAs == nil {
		return ""
	}
	return b.AttachedAs(ctx, path.Base(p))
}
