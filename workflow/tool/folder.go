package tool

import (
	"context"
	"errors"
	"io/fs"
	"path"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// With a Folder, that part of a large repository is worked on as if it were the whole: only it is listed and
// searched, and nothing outside it is changed. A file outside may be read by its path, since the part may be
// built on it.

// explored returns the resolved path of what is to be listed or searched: p, or the folder if p names
// nothing.
func (e *Env) explored(ctx context.Context, p string) (string, error) {
	if e.Folder != "" && path.Clean("./"+p) == "." {
		p = e.Folder
	}
	real, err := e.locate(ctx, p)
	if err != nil || workfile.Within(e.Folder, real) {
		return real, err
	}
	if info, err := e.Workspace.Root().Stat(real); err != nil || info.IsDir() {
		return "", model.Mistakef("%s is not explored here: the work is about the folder %s of the "+
			"repository. Name a folder within it, or one file to read.",
			plaintext.QuotePath(real), plaintext.QuotePath(e.Folder))
	}
	return real, nil
}

// mayTouch returns nil if the file at a resolved path may be changed.
func (e *Env) mayTouch(real string) error {
	if _, ok := scratchPath(real); ok { // a patch names it
		return model.Mistakef("%s is not part of the repository: write_file and edit_file change its files.",
			scratchPrefix)
	}
	if at := e.Workspace.SubmoduleAt(real); at != "" {
		return model.Mistakef("%s may not be changed: it is in the submodule %s, which is another "+
			"repository; only its pin belongs to this one. Solve it outside of that folder, or say what has "+
			"to change there.",
			plaintext.QuotePath(real), plaintext.QuotePath(at))
	}
	if e.Workspace.LFSAt(real) {
		return model.Mistakef("%s may not be changed: Git LFS keeps its content at a server, and the commit "+
			"has only a pointer. Solve it without that file, or say what has to change in it: a person "+
			"has to do that.", plaintext.QuotePath(real))
	}
	if workfile.Within(e.Folder, real) {
		return nil
	}
	return model.Mistakef("%s may not be changed: the work is about the folder %s of the repository, "+
		"and stays in it. Solve it there, or say what is needed elsewhere.",
		plaintext.QuotePath(real), plaintext.QuotePath(e.Folder))
}

// open reads a file that the model named. If the file is missing, the error suggests similar names.
func (e *Env) open(ctx context.Context, p string) (workfile.Content, error) {
	root := e.Workspace.Root()
	real, err := e.locate(ctx, p)
	if err != nil {
		return workfile.Content{}, err
	}
	c, err := workfile.Load(root, real)
	if err != nil {
		return workfile.Content{}, err
	}
	return c, nil
}

// locate returns the resolved path of a file or folder that exists.
func (e *Env) locate(ctx context.Context, p string) (string, error) {
	root := e.Workspace.Root()
	if _, ok := scratchPath(p); ok {
		return "", model.Mistakef("%s is not part of the repository: run lists what is in it (ls %[1]s); "+
			"read_file and search take one file of it.", scratchPrefix)
	}
	cleaned, err := workfile.CleanPath(p)
	if err != nil {
		return "", err
	}
	real, err := workfile.ResolveLinks(root, cleaned)
	if err != nil {
		return "", err
	}
	if _, err := root.Lstat(real); errors.Is(err, fs.ErrNotExist) {
		if ref := e.attachedAs(ctx, cleaned); ref != "" {
			return "", model.Mistakef("There is no %s in the repository. A file of that name was attached "+
				"in the thread: %s.", plaintext.QuotePath(cleaned), plaintext.QuotePath(ref))
		}
		return "", model.Mistakef("There is no %s.%s%s", plaintext.QuotePath(cleaned),
			e.pathElsewhere(cleaned), workfile.SuggestPaths(workfile.NearPaths(ctx, root, cleaned)))
	} else if err != nil {
		return "", workfile.ExplainPathError(cleaned, err)
	}
	return real, nil
}
