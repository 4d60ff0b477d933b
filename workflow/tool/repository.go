package tool

import (
	"context"
	"errors"
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// The tools that read take a path of another repository, too: its name, a colon, and the path there.

// Repositories are the repositories that an agent may name in a path.
type Repositories struct {
	Own string // name of the workspace's own one
	// Open returns an Env for another one, or a [model.Mistake] if it is not read here. nil: there are none.
	Open func(ctx context.Context, name string) (*Env, error)
}

// repositoryName matches the name of a repository that begins a path.
var repositoryName = regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._-]*):([^\\]*)$`)

// SplitRepository returns the name that begins a path, as in api:pkg/a.go, and the path behind it. The name
// is empty if there is none. It may also be of something else than a repository, such as an attachment.
func SplitRepository(path string) (name, rest string) {
	if m := repositoryName.FindStringSubmatch(path); m != nil {
		return m[1], strings.TrimPrefix(m[2], "/")
	}
	return "", path
}

// atRepository returns the Env of the repository that a path names, and changes the path to the one there.
func (e *Env) atRepository(ctx context.Context, path *string) (*Env, error) {
	name, rest := SplitRepository(*path)
	if name == "" || isKept(*path) || e.hasPath(*path) {
		return e, nil
	}
	if strings.EqualFold(name, e.Repositories.Own) {
		*path = rest
		return e, nil
	}
	if e.Repositories.Open == nil {
		return e, nil
	}
	other, err := e.Repositories.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	*path = rest
	return other, nil
}

// hasPath reports whether the workspace has a file or folder with that name, colon and all.
func (e *Env) hasPath(path string) bool {
	cleaned, err := workfile.CleanPath(path)
	if err != nil {
		return false
	}
	_, err = e.Workspace.Root().Lstat(cleaned)
	return err == nil
}

// refuseOther refuses to change a file of another repository.
func (e *Env) refuseOther(ctx context.Context, path string) error {
	other, err := e.atRepository(ctx, &path)
	var unknown model.Mistake
	switch {
	case errors.As(err, &unknown), err == nil && other == e: // a new file may have a colon in its name
		return nil
	case err != nil:
		return err
	}
	return model.Mistakef("%s is read here, and not changed: the work is about %s alone. Solve it there, or "+
		"say what has to change in the other repository.", strings.TrimSuffix(other.prefix, ":"),
		e.Repositories.Own)
}

// A pathed is the arguments of a call that have a path.
type pathed[T any] interface {
	*T
	path() *string
}

func (in *listArgs) path() *string       { return &in.Path }
func (in *searchArgs) path() *string     { return &in.Path }
func (in *searchFileArgs) path() *string { return &in.Path }
func (in *readArgs) path() *string       { return &in.Path }
func (in *outlineArgs) path() *string    { return &in.Path }
func (in *historyArgs) path() *string    { return &in.Path }

// reads returns a tool's function that reads in the repository that the path names.
func reads[T any, P pathed[T]](
	e *Env, call func(*Env, context.Context, T) (string, error),
) func(context.Context, T) (string, error) {
	return func(ctx context.Context, in T) (string, error) {
		at, err := e.atRepository(ctx, P(&in).path())
		if err != nil || at == e {
			if err != nil {
				return "", err
			}
			return call(e, ctx, in)
		}
		text, err := call(at, ctx, in)
		var wrong model.Mistake
		if errors.As(err, &wrong) {
			return "", model.Mistakef("In %s%s", at.prefix, " "+string(wrong))
		}
		return text, err
	}
}

// shown returns how models know a path of the workspace.
func (e *Env) shown(path string) string { return e.prefix + path }

// pathsOf begins an answer that names paths, or is about the history, of another repository.
func (e *Env) pathsOf(text string) string {
	if e.prefix == "" {
		return text
	}
	return "Of " + plaintext.QuotePath(strings.TrimSuffix(e.prefix, ":")) + "; a path there begins with " +
		plaintext.QuotePath(e.prefix) + "\n" + text
}

// OfRepository makes the Env that of another repository: nothing in it is changed, and its paths are shown
// with its name.
func (e *Env) OfRepository(name string) *Env {
	e.prefix = name + ":"
	return e
}
