package tool

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// clean is a path as the model wrote it, made relative to the root and judged. The root
// itself is ".".
func clean(p string) (string, error) {
	if shown, err := strconv.Unquote(p); err == nil && p[0] == '"' {
		p = shown // as quote has written it, since JSON cannot hold what is not UTF-8
	}
	switch {
	case strings.ContainsRune(p, 0):
		return "", wrong("A path cannot hold a NUL character.")
	case len(p) > 4096:
		return "", wrong("That path is longer than any path can be.")
	case strings.HasPrefix(p, "/"):
		return "", wrongf("Paths are relative to the repository's root and have no leading slash: try %s.", plaintext.QuotePath(suggestion(p)))
	case strings.HasPrefix(p, "~"), !filepath.IsLocal(path.Clean("./" + p)):
		return "", wrongf("%s lies outside of the repository; paths are relative to its root and cannot leave it.", plaintext.QuotePath(p))
	}
	p = path.Clean("./" + p)
	if underGit(p) {
		return "", wrong("The .git directory is not part of the workspace. Use the history tool; commits are made by the program.")
	}
	return p, nil
}

// suggestion guesses what was meant by an absolute path. /src is where the repository
// lies for commands.
func suggestion(p string) string {
	p = strings.TrimLeft(strings.TrimPrefix(path.Clean(p), "/src/"), "/")
	if p == "" || p == "src" {
		return "."
	}
	return p
}

func underGit(p string) bool {
	for part := range strings.SplitSeq(p, "/") {
		if isGit(part) {
			return true
		}
	}
	return false
}

// isGit knows the ways to write .git that some file system takes for it.
func isGit(name string) bool {
	if len(name) < 4 || name[0] < utf8.RuneSelf && !strings.ContainsRune(".gG", rune(name[0])) {
		return false // nearly always
	}
	name = strings.TrimRight(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name), " .")
	return strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1")
}

// Private reports files that hold secrets by custom. Their examples do not.
func Private(name string) bool {
	name = strings.ToLower(path.Base(name))
	if name != ".env" && !strings.HasPrefix(name, ".env.") {
		return false
	}
	switch strings.TrimPrefix(name, ".env.") {
	case "example", "sample", "template", "dist", "defaults":
		return false
	}
	return true
}

const maxLinks = 16

// resolve follows the symbolic links of a clean path by hand, so that they can be judged
// and one file has one name. It is no guard: what it returns is opened through root.
func resolve(root *os.Root, p string) (string, error) {
	todo, done, links := strings.Split(p, "/"), ".", 0
	for len(todo) > 0 {
		next := path.Join(done, todo[0])
		todo = todo[1:]
		info, err := root.Lstat(next)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			return path.Join(append([]string{next}, todo...)...), nil
		}
		if err != nil {
			return "", pathError(p, err)
		}
		if info.Mode()&fs.ModeSymlink == 0 {
			done = next
			continue
		}
		target, err := root.Readlink(next)
		if err != nil {
			return "", pathError(p, err)
		}
		target, links = filepath.ToSlash(target), links+1
		rest := path.Join(append([]string{done, target}, todo...)...)
		switch {
		case links > maxLinks:
			return "", wrongf("%s is a symbolic link that leads to itself.", plaintext.QuotePath(p))
		case path.IsAbs(target) || !filepath.IsLocal(rest):
			return "", wrongf("%s is a symbolic link that leads outside of the repository (%s): it is not followed.", plaintext.QuotePath(p), plaintext.QuotePath(target))
		case underGit(rest):
			return "", wrongf("%s is a symbolic link into a .git directory: it is not followed.", plaintext.QuotePath(p))
		}
		todo, done = strings.Split(rest, "/"), "."
	}
	return done, nil
}

// pathError puts into words why a path cannot be used. What no model can help is an
// error.
func pathError(p string, err error) error {
	p = plaintext.QuotePath(p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return wrongf("There is no %s.", p)
	case errors.Is(err, fs.ErrPermission):
		return wrongf("%s cannot be opened: permission denied.", p)
	case errors.Is(err, syscall.ELOOP):
		return wrongf("%s is a symbolic link that leads to itself.", p)
	case errors.Is(err, syscall.ENOTDIR):
		return wrongf("%s does not exist: a part of the path before its end is a file, not a folder.", p)
	case errors.Is(err, syscall.ENAMETOOLONG):
		return wrongf("%s is too long for a path.", plaintext.CutCounted(p, 80))
	case errors.Is(err, syscall.EISDIR):
		return wrongf("%s is a folder.", p)
	case errors.Is(err, syscall.ENXIO), errors.Is(err, syscall.EOPNOTSUPP):
		return wrongf("%s is not a regular file.", p)
	case errors.Is(err, syscall.EINVAL), strings.Contains(err.Error(), "escapes from parent"):
		return wrongf("%s leads outside of the repository or is no valid path.", p)
	}
	return err
}
