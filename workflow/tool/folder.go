package tool

import (
	"context"
	"path"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A part of a large repository is worked on as if it were the whole: it is what is listed
// and searched, and nothing outside it is changed. A file outside may be read by its path,
// since what the part is built on may stand there.

// Within reports whether a clean path is the folder or below it; all is below "".
func Within(folder, p string) bool {
	return folder == "" || p == folder || strings.HasPrefix(p, folder+"/")
}

// explored is the resolved path of what is to be listed or searched: the folder, where
// nothing else was named.
func (b *Bench) explored(ctx context.Context, p string) (string, error) {
	if b.Folder != "" && path.Clean("./"+p) == "." {
		p = b.Folder
	}
	real, err := b.locate(ctx, p)
	if err != nil || Within(b.Folder, real) {
		return real, err
	}
	if info, err := b.Workspace.Root().Stat(real); err != nil || info.IsDir() {
		return "", wrongf("%s is not explored here: the work is about the folder %s of the repository. Name a folder within it, or one file to read.", plaintext.QuotePath(real), plaintext.QuotePath(b.Folder))
	}
	return real, nil
}

// mayTouch is nil for a resolved path that may be changed.
func (b *Bench) mayTouch(real string) error {
	if Within(b.Folder, real) {
		return nil
	}
	return wrongf("%s may not be changed: the work is about the folder %s of the repository, and stays in it. Solve it there, or say what is needed elsewhere.", plaintext.QuotePath(real), plaintext.QuotePath(b.Folder))
}
