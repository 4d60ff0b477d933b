package suite

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bluekeyes/go-gitdiff/gitdiff"

	"github.com/bobbinhq/bobbin/repo/build/project"
)

// LayHidden copies the hidden tests over the files of a tree.
func (t Task) LayHidden(tree *os.Root) error {
	hidden := os.DirFS(filepath.Join(t.dir, hiddenDir))
	return fs.WalkDir(hidden, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := fs.ReadFile(hidden, name)
		if err != nil {
			return err
		}
		return replaceFile(tree, name, text)
	})
}

// replaceFile writes a file into a tree with untrusted content. It first removes whatever has that name, so
// that it does not write through a symbolic link.
func replaceFile(tree *os.Root, name string, text []byte) error {
	if err := tree.MkdirAll(path.Dir(name), 0o755); err != nil {
		return err
	}
	if err := tree.RemoveAll(name); err != nil {
		return err
	}
	return tree.WriteFile(name, text, 0o644)
}

// LayGood applies the good fix to a tree, and copies the hidden tests over it.
func (t Task) LayGood(tree *os.Root) error {
	changes, err := t.readGood()
	if err != nil {
		return err
	}
	for _, c := range changes {
		if err := apply(tree, c); err != nil {
			return fmt.Errorf("%s: %s: %w", goodPatch, nameOf(c), err)
		}
	}
	return t.LayHidden(tree)
}

func apply(tree *os.Root, c *gitdiff.File) error {
	var before []byte
	var err error
	if !c.IsNew {
		if before, err = tree.ReadFile(c.OldName); err != nil {
			return cause(err)
		}
	}
	var after bytes.Buffer
	if err := gitdiff.Apply(&after, bytes.NewReader(before), c); err != nil {
		return err
	}
	if c.IsDelete || c.IsRename {
		err = tree.Remove(c.OldName)
	}
	if err != nil || c.IsDelete {
		return err
	}
	return replaceFile(tree, c.NewName, after.Bytes())
}

func (t Task) readGood() ([]*gitdiff.File, error) {
	text, err := os.ReadFile(filepath.Join(t.dir, goodPatch))
	if err != nil {
		return nil, cause(err)
	}
	changes, _, err := gitdiff.Parse(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if code, tests := sizes(changes); code == (Size{}) && tests == (Size{}) {
		return nil, errors.New("it changes nothing; it has to be as git diff writes it")
	}
	return changes, nil
}

func nameOf(c *gitdiff.File) string {
	if c.IsDelete {
		return c.OldName
	}
	return c.NewName
}

// Sizes returns the changed lines of a unified diff, those of test files apart. If the diff is cut off, only
// its complete files count.
func Sizes(diff string) (code, tests Size) {
	changes, _, _ := gitdiff.Parse(strings.NewReader(diff))
	return sizes(changes)
}

func sizes(changes []*gitdiff.File) (code, tests Size) {
	for _, c := range changes {
		s := &code
		if project.IsTest("", nameOf(c)) {
			s = &tests
		}
		for _, f := range c.TextFragments {
			s.Added += int(f.LinesAdded)
			s.Removed += int(f.LinesDeleted)
		}
	}
	return code, tests
}
