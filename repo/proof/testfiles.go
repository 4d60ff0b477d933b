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
	"strings"

	"github.com/bobbinhq/bobbin/repo"
	"github.com/bobbinhq/bobbin/repo/project"
)

// An overlay is what of a change belongs to its tests.
type overlay struct {
	files  []repo.Change
	inline []repo.Change // Rust sources that hold tests of their own
}

func (o overlay) empty() bool { return len(o.files)+len(o.inline) == 0 }

// names are the files that test.
func (o overlay) names() []string {
	var out []string
	for _, c := range append(slices.Clone(o.files), o.inline...) {
		if c.Kind != "deleted" {
			out = append(out, c.Path)
		}
	}
	return out
}

// testsOf sorts out what of the changes belongs to the tests.
func testsOf(kind string, changes []repo.Change) overlay {
	var o overlay
	for _, c := range changes {
		switch {
		case project.IsTest(kind, c.Path):
			o.files = append(o.files, c)
		case kind == "rust" && strings.HasSuffix(c.Path, ".rs") && c.Kind == "modified" && c.Mode == "":
			o.inline = append(o.inline, c)
		}
	}
	return o
}

// lay puts the overlay from the workspace over the base.
func (o overlay) lay(from, onto *os.Root) error {
	if err := lay(o.files, from, onto); err != nil {
		return err
	}
	for _, c := range o.inline {
		if err := layInline(c.Path, from, onto); err != nil {
			return fmt.Errorf("proof: lay the tests of %s over the base: %w", c.Path, err)
		}
	}
	return nil
}

// lay makes the changed paths as they are in from, deletions first, since a file may
// have become a folder.
func lay(changes []repo.Change, from, onto *os.Root) error {
	for _, c := range changes {
		if err := onto.RemoveAll(c.Path); err != nil {
			return fmt.Errorf("proof: lay %s over the base: %w", c.Path, err)
		}
	}
	for _, c := range changes {
		if c.Kind == "deleted" {
			continue
		}
		if err := layOne(c.Path, from, onto); err != nil {
			return fmt.Errorf("proof: lay %s over the base: %w", c.Path, err)
		}
	}
	return nil
}

func layOne(file string, from, onto *os.Root) error {
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
	in, err := openPlain(from, file)
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

// openPlain opens a plain file and nothing else: a pipe would block for ever.
func openPlain(root *os.Root, file string) (fs.File, error) {
	f, err := repo.PlainFS(root).Open(filepath.ToSlash(file))
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(errors.New("it is not a plain file"), err, f.Close())
	}
	return f, nil
}

// layInline puts the tests inside a Rust source over the base's source.
func layInline(file string, from, onto *os.Root) error {
	theirs, err := readPlain(from, file)
	if err != nil {
		return err
	}
	base, err := readPlain(onto, file)
	if err != nil {
		return err
	}
	return onto.WriteFile(file, []byte(project.WithTestsOf(base, theirs)), 0o644)
}

func readPlain(root *os.Root, file string) (string, error) {
	f, err := openPlain(root, file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	return string(text), err
}
