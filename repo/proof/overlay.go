package proof

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/git/diff"
)

// An overlay is the part of a change that belongs to its tests.
type overlay struct {
	kind   string // the kind of the project
	files  []diff.Change
	inline []diff.Change // sources that also hold tests, as in Rust
}

func (o overlay) isEmpty() bool { return len(o.files)+len(o.inline) == 0 }

// testFiles returns the paths of the files with tests, without deleted ones.
func (o overlay) testFiles() []string {
	var out []string
	for _, c := range append(slices.Clone(o.files), o.inline...) {
		if c.Kind != "deleted" {
			out = append(out, c.Path)
		}
	}
	return out
}

// selectTests returns the part of the changes that belongs to the tests.
func selectTests(kind string, changes []diff.Change) overlay {
	o := overlay{kind: kind}
	for _, c := range changes {
		switch {
		case project.IsTest(kind, c.Path):
			o.files = append(o.files, c)
		case project.HasTests(kind, c.Path) && c.Kind == "modified" && c.Mode == "":
			o.inline = append(o.inline, c)
		}
	}
	return o
}

// layOver copies the overlay from the workspace over the base.
func (o overlay) layOver(from, onto *os.Root) error {
	if err := LayChanges(o.files, from, onto); err != nil {
		return err
	}
	for _, c := range o.inline {
		if err := o.layInline(c.Path, from, onto); err != nil {
			return fmt.Errorf("proof: lay the tests of %s over the base: %w", c.Path, err)
		}
	}
	return nil
}

// LayChanges makes the changed paths in onto as they are in from. Deletions come first, because a file may
// have become a folder.
func LayChanges(changes []diff.Change, from, onto *os.Root) error {
	for _, c := range changes {
		if err := onto.RemoveAll(c.Path); err != nil {
			return fmt.Errorf("proof: lay %s over the base: %w", c.Path, err)
		}
	}
	for _, c := range changes {
		if c.Kind == "deleted" {
			continue
		}
		if err := copyPath(c.Path, from, onto); err != nil {
			return fmt.Errorf("proof: lay %s over the base: %w", c.Path, err)
		}
	}
	return nil
}

// copyPath copies a file, with its execute permission, or a symbolic link.
func copyPath(file string, from, onto *os.Root) error {
	info, err := from.Lstat(file)
	if err != nil {
		return err
	}
	if err := onto.MkdirAll(path.Dir(file), 0o755); err != nil {
		return err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := from.Readlink(file)
		if err != nil {
			return err
		}
		return onto.Symlink(target, file)
	}
	in, err := openRegular(from, file)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := onto.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o644|info.Mode().Perm()&0o111)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// openRegular opens a plain file and fails for anything else: opening a pipe would block for ever.
func openRegular(root *os.Root, file string) (fs.File, error) {
	f, err := disk.PlainFS(root).Open(filepath.ToSlash(file))
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(errors.New("it is not a plain file"), err, f.Close())
	}
	return f, nil
}

// layInline replaces the tests inside the base's source file by those of the workspace's file.
func (o overlay) layInline(file string, from, onto *os.Root) error {
	theirs, err := readRegular(from, file)
	if err != nil {
		return err
	}
	base, err := readRegular(onto, file)
	if err != nil {
		return err
	}
	return onto.WriteFile(file, []byte(project.SpliceTests(o.kind, base, theirs)), 0o644)
}

func readRegular(root *os.Root, file string) (string, error) {
	f, err := openRegular(root, file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	return string(text), err
}
