// Package bare is the folder of a bare repository: it is made beside its place under a name of its own,
// and stands there only when it is whole, so whoever finds it can use it. The folder's own time
// says when it was last asked for, and that of packed-refs when it was last fetched.
package bare

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/disk"
)

// Dir is the path of a bare repository, which may not be there.
type Dir string

// Abandoned is how old an unfinished clone is before nobody works at it.
const Abandoned = 24 * time.Hour

const unfinished = ".new-"

// IsUnfinished reports whether a folder of this name is a clone that is not whole.
func IsUnfinished(name string) bool { return strings.Contains(name, ".git"+unfinished) }

func (d Dir) packedRefs() string { return filepath.Join(string(d), "packed-refs") }

// IsWhole reports whether the repository is there.
func (d Dir) IsWhole() bool {
	_, err := os.Stat(d.packedRefs())
	return err == nil
}

// NewClone makes an empty repository beside the place of this one, and removes what killed
// processes left there.
func (d Dir) NewClone(now time.Time) (string, error) {
	if err := os.MkdirAll(filepath.Dir(string(d)), 0o755); err != nil {
		return "", fmt.Errorf("repo: make mirror: %w", err)
	}
	found, _ := filepath.Glob(string(d) + unfinished + "*")
	for _, dir := range found {
		if info, err := os.Stat(dir); err == nil && now.Sub(info.ModTime()) > Abandoned {
			_ = os.RemoveAll(dir)
		}
	}
	dir, err := os.MkdirTemp(filepath.Dir(string(d)), filepath.Base(string(d))+unfinished+"*")
	if err != nil {
		return "", fmt.Errorf("repo: make mirror: %w", err)
	}
	if err := initialise(dir); err != nil {
		_ = os.RemoveAll(dir)
		return "", err
	}
	return dir, nil
}

// Place gives a whole clone its name. Another process may have been faster; what else stands there
// is left of a repository that was removed, and makes room.
func (d Dir) Place(clone string) error {
	err := os.Rename(clone, string(d))
	if err == nil || d.IsWhole() {
		return nil
	}
	if _, moved := disk.MoveAside(string(d)); moved == nil {
		err = os.Rename(clone, string(d))
	}
	if err != nil {
		return fmt.Errorf("repo: place mirror: %w", err)
	}
	return nil
}

// initialise makes what git itself takes for a bare repository.
func initialise(dir string) error {
	for _, sub := range []string{"objects/pack", "objects/info", "refs/heads", "refs/tags"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(sub)), 0o755); err != nil {
			return fmt.Errorf("repo: make mirror: %w", err)
		}
	}
	for name, text := range map[string]string{
		"HEAD":   "ref: refs/heads/main\n",
		"config": "[core]\n\trepositoryformatversion = 0\n\tbare = true\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return fmt.Errorf("repo: make mirror: %w", err)
		}
	}
	return nil
}

// LastFetch is when the references were last asked for.
func (d Dir) LastFetch() time.Time {
	info, err := os.Stat(d.packedRefs())
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// MarkUsed marks that a session has asked for the repository.
func (d Dir) MarkUsed(now time.Time) {
	_ = os.Chtimes(string(d), now, now) // at worst it is cloned again one day
}

// LastUse is when the repository was last asked for or fetched.
func (d Dir) LastUse() time.Time {
	last := d.LastFetch()
	if info, err := os.Stat(string(d)); err == nil && info.ModTime().After(last) {
		return info.ModTime()
	}
	return last
}
