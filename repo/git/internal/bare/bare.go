// Package bare manages the folder of a bare repository on disk, and opens it for go-git. A clone is made
// in a temporary sibling folder and renamed into place when it is complete, so a repository with the final
// name is always usable. The modification time of the folder is the time of its last use, that of
// packed-refs the time of the last fetch.
package bare

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-billy/v5"
	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"github.com/bobbinhq/bobbin/repo/disk"
)

// Dir is the path of a bare repository, which need not exist.
type Dir string

// Abandoned is the age from which an unfinished clone counts as left by a killed process.
const Abandoned = 24 * time.Hour

const unfinished = ".new-"

// IsUnfinished reports whether name is that of a folder with an unfinished clone.
func IsUnfinished(name string) bool { return strings.Contains(name, ".git"+unfinished) }

func (d Dir) packedRefs() string { return filepath.Join(string(d), "packed-refs") }

// IsWhole reports whether the repository exists and is complete.
func (d Dir) IsWhole() bool {
	_, err := os.Stat(d.packedRefs())
	return err == nil
}

// NewClone makes an empty repository in a temporary folder beside d and returns its path. It removes
// such folders that are older than Abandoned.
func (d Dir) NewClone(now time.Time) (string, error) {
	if err := os.MkdirAll(filepath.Dir(string(d)), 0o755); err != nil {
		return "", fmt.Errorf("git: make mirror: %w", err)
	}
	found, _ := filepath.Glob(string(d) + unfinished + "*")
	for _, dir := range found {
		if info, err := os.Stat(dir); err == nil && now.Sub(info.ModTime()) > Abandoned {
			_ = os.RemoveAll(dir)
		}
	}
	dir, err := os.MkdirTemp(filepath.Dir(string(d)), filepath.Base(string(d))+unfinished+"*")
	if err != nil {
		return "", fmt.Errorf("git: make mirror: %w", err)
	}
	if err := initialise(dir); err != nil {
		_ = os.RemoveAll(dir)
		return "", err
	}
	return dir, nil
}

// Place renames a complete clone to d. If another process has placed one first, it returns nil and
// leaves the clone where it is. Anything else at d is left over from a removed repository and is moved
// aside.
func (d Dir) Place(clone string) error {
	err := os.Rename(clone, string(d))
	if err == nil || d.IsWhole() {
		return nil
	}
	if _, moved := disk.MoveAside(string(d)); moved == nil {
		err = os.Rename(clone, string(d))
	}
	if err != nil {
		return fmt.Errorf("git: place mirror: %w", err)
	}
	return nil
}

// initialise writes the folders and files by which git recognises a bare repository.
func initialise(dir string) error {
	for _, sub := range []string{"objects/pack", "objects/info", "refs/heads", "refs/tags"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(sub)), 0o755); err != nil {
			return fmt.Errorf("git: make mirror: %w", err)
		}
	}
	for name, text := range map[string]string{
		"HEAD":   "ref: refs/heads/main\n",
		"config": "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("git: make mirror: %w", err)
		}
	}
	return nil
}

// MarkUsed records that a session has asked for the repository.
func (d Dir) MarkUsed(now time.Time) {
	_ = os.Chtimes(string(d), now, now) // at worst the mirror is removed and cloned again
}

// LastUse returns the time when the repository was last used or fetched, whichever is later, or the
// zero time if it does not exist.
func (d Dir) LastUse() (last time.Time) {
	for _, path := range []string{d.packedRefs(), string(d)} {
		if info, err := os.Stat(path); err == nil && info.ModTime().After(last) {
			last = info.ModTime()
		}
	}
	return last
}

// Storage returns go-git's storage of a repository into which others may push. git writes a new value of a
// reference to a lock file beside it, such as main.lock, and renames that; go-git takes such a file for a
// reference, and fails as long as it is empty. So the storage does not see lock files.
func (d Dir) Storage() *filesystem.Storage {
	return filesystem.NewStorage(unlocked{osfs.New(string(d))}, cache.NewObjectLRUDefault())
}

// unlocked is a file system whose folders are listed without git's lock files. No reference may have a name
// that ends like theirs: see git-check-ref-format.
type unlocked struct{ billy.Filesystem }

func (u unlocked) ReadDir(path string) ([]os.FileInfo, error) {
	files, err := u.Filesystem.ReadDir(path)
	return slices.DeleteFunc(files,
		func(f os.FileInfo) bool { return strings.HasSuffix(f.Name(), ".lock") }), err
}
