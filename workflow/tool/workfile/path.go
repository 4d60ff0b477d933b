package workfile

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// CleanPath checks a path as the model wrote it, and returns it relative to the root. The root itself is ".".
func CleanPath(p string) (string, error) {
	if shown, err := strconv.Unquote(p); err == nil && p[0] == '"' {
		p = shown // as plaintext.QuotePath shows it, since JSON cannot hold what is not UTF-8
	}
	switch {
	case strings.ContainsRune(p, 0):
		return "", model.Mistake("A path cannot hold a NUL character.")
	case len(p) > 4096:
		return "", model.Mistake("That path is longer than any path can be.")
	case strings.HasPrefix(p, "/"):
		return "", model.Mistakef("Paths are relative to the repository's root and have no leading slash: "+
			"try %s.", plaintext.QuotePath(suggestRelative(p)))
	case strings.HasPrefix(p, "~"), !filepath.IsLocal(path.Clean("./" + p)):
		return "", model.Mistakef("%s lies outside of the repository; "+
			"paths are relative to its root and cannot leave it.", plaintext.QuotePath(p))
	}
	p = path.Clean("./" + p)
	if underGit(p) {
		return "", model.Mistake("The .git directory is not part of the workspace. Use the history tool; " +
			"commits are made by the program.")
	}
	return p, nil
}

// suggestRelative guesses which path was meant by an absolute one. Commands see the repository at /src.
func suggestRelative(p string) string {
	p = strings.TrimLeft(strings.TrimPrefix(path.Clean(p), "/src/"), "/")
	if p == "" || p == "src" {
		return "."
	}
	return p
}

func underGit(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if disk.IsDotGit(part) {
			return true
		}
	}
	return false
}

const maxLinks = 16

// ResolveLinks follows the symbolic links of a clean path by hand, so that they can be checked and a file has
// only one name. It is no protection: its result still has to be opened through root.
func ResolveLinks(root *os.Root, p string) (string, error) {
	todo := strings.Split(p, "/")
	done := "."
	links := 0
	for len(todo) > 0 {
		next := path.Join(done, todo[0])
		todo = todo[1:]
		info, err := root.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return path.Join(append([]string{next}, todo...)...), nil
		}
		if err != nil {
			return "", ExplainPathError(p, err)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done = next
			continue
		}
		target, err := root.Readlink(next)
		if err != nil {
			return "", ExplainPathError(p, err)
		}
		target = filepath.ToSlash(target)
		links = links + 1
		rest := path.Join(append([]string{done, target}, todo...)...)
		switch {
		case links > maxLinks:
			return "", model.Mistakef("%s is a symbolic link that leads to itself.", plaintext.QuotePath(p))
		case path.IsAbs(target) || !filepath.IsLocal(rest):
			return "", model.Mistakef("%s is a symbolic link that leads outside of the repository (%s): "+
				"it is not followed.", plaintext.QuotePath(p), plaintext.QuotePath(target))
		case underGit(rest):
			return "", model.Mistakef("%s is a symbolic link into a .git directory: it is not followed.",
				plaintext.QuotePath(p))
		}
		todo = strings.Split(rest, "/")
		done = "."
	}
	return done, nil
}

// ExplainPathError returns a [model.Mistake] that says why a path cannot be used, or err itself if no model
// can correct it.
func ExplainPathError(p string, err error) error {
	p = plaintext.QuotePath(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return model.Mistakef("There is no %s.", p)
	case errors.Is(err, fs.ErrPermission):
		return model.Mistakef("%s cannot be opened: permission denied.", p)
	case errors.Is(err, syscall.ELOOP):
		return model.Mistakef("%s is a symbolic link that leads to itself.", p)
	case errors.Is(err, syscall.ENOTDIR):
		return model.Mistakef("%s does not exist: a part of the path before its end is a file, not a folder.",
			p)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return model.Mistakef("%s is too long for a path.", plaintext.CutCounted(p, 80))
	case errors.Is(err, syscall.EISDIR):
		return model.Mistakef("%s is a folder.", p)
	case errors.Is(err, syscall.ENXIO), errors.Is(err, syscall.EOPNOTSUPP):
		return model.Mistakef("%s is not a regular file.", p)
	case errors.Is(err, syscall.EINVAL), strings.Contains(err.Error(), "escapes from parent"):
		return model.Mistakef("%s leads outside of the repository or is no valid path.", p)
	}
	return err
}

func RefuseSecret(p string) error {
	return model.Mistakef("%s may hold secrets and is not shown. "+
		"See whether there is an example of it beside it.", plaintext.QuotePath(p))
}

// Within reports whether a clean path is the folder or below it. Every path is within "".
func Within(folder, p string) bool {
	return folder == "" || p == folder || strings.HasPrefix(p, folder+"/")
}
