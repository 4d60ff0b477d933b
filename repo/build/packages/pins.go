package packages

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/bobbinhq/bobbin/repo/disk"
)

// pinsSuffix is the suffix of the folder beside the packages that stores the versions that were resolved
// because the repository does not fix them. A cleaning keeps this folder, so that the same versions are
// fetched again later.
const pinsSuffix = ".pins"

// maxPins is the maximum size of a pins file in bytes, more than any real lock file has.
const maxPins = 32 << 20

// oldPins is the time after which unused pins are removed.
const oldPins = 90 * 24 * time.Hour

// pinPaths returns the paths of the files with the resolved versions. There are none if the repository fixes
// all versions.
func (p plan) pinPaths() (files []string) {
	for _, s := range p.steps {
		files = append(files, s.pins...)
	}
	return files
}

// savePins stores the versions that the commands resolved, unless they are stored already, or some packages
// could not be fetched.
func (f *fetchRun) savePins() error {
	pins := f.kept + pinsSuffix
	files := f.plan.pinPaths()
	if _, err := os.Stat(pins); err == nil || len(files) == 0 || len(f.lost) > 0 {
		return nil
	}
	making := f.pathOf("pins")
	if err := errors.Join(os.Mkdir(making, 0o755), copyPlain(f.pathOf("src"), making, files)); err != nil {
		return err
	}
	all, _ := filepath.Glob(filepath.Join(f.job.Dir, "*"+pinsSuffix))
	for _, dir := range all {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > oldPins {
			_ = disk.RemoveFolder(dir) // on failure, the next call tries again
		}
	}
	return os.Rename(making, pins)
}

// copyPlain copies the files that exist, are regular files and are not larger than maxPins. The folder from
// is not trusted, because commands can write to it.
func copyPlain(from, to string, files []string) error {
	source, err := os.OpenRoot(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenRoot(to)
	if err != nil {
		return err
	}
	defer target.Close()
	for _, file := range files {
		if text, ok := readPlain(source, file); ok {
			if err := writeAt(target, file, text); err != nil {
				return err
			}
		}
	}
	return nil
}

// readPlain reads a file for copyPlain, and returns false if it must not be copied.
func readPlain(root *os.Root, file string) ([]byte, bool) {
	name := filepath.FromSlash(file)
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > maxPins {
		return nil, false
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxPins))
	return text, err == nil
}
