package packages

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/bobbinhq/bobbin/repo/disk"
)

// pinsSuffix ends the name of a folder beside the packages that says what was resolved where the
// repository names no exact versions. It stays when the packages are cleaned away, so that
// they come back as they were.
const pinsSuffix = ".pins"

// mostPins is more than any lock file has.
const mostPins = 32 << 20

// oldPins is how long pins are kept that nothing was fetched by.
const oldPins = 90 * 24 * time.Hour

// pinPaths are the files that say what was resolved; none where the repository says it.
func (p plan) pinPaths() (files []string) {
	for _, s := range p.steps {
		files = append(files, s.pins...)
	}
	return files
}

// savePins keeps what the commands resolved, once.
func (b *fetchRun) savePins() error {
	pins, files := b.kept+pinsSuffix, b.plan.pinPaths()
	if _, err := os.Stat(pins); err == nil || len(files) == 0 {
		return nil
	}
	making := b.pathOf("pins")
	if err := errors.Join(os.Mkdir(making, 0o755), copyPlain(b.pathOf("src"), making, files)); err != nil {
		return err
	}
	all, _ := filepath.Glob(filepath.Join(b.job.Dir, "*"+pinsSuffix))
	for _, dir := range all {
		if info, err := os.Stat(dir); err == nil && time.Since(info.ModTime()) > oldPins {
			_ = disk.RemoveFolder(dir) // the next one tries again
		}
	}
	return os.Rename(making, pins)
}

// copyPlain copies those of the files that are plain, of a sensible size and there at all:
// commands may have written in from.
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

// readPlain reads one of them.
func readPlain(root *os.Root, file string) ([]byte, bool) {
	name := filepath.FromSlash(file)
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() || info.Size() > mostPins {
		return nil, false
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, false
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, mostPins))
	return text, err == nil
}
