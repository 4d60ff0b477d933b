package patch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// A Change is what a patch did to one file.
type Change struct {
	Path            string
	Before, After   []byte
	Existed, Exists bool
}

// Apply applies the patch in text to files below root, and returns the changes, in the order of the patch.
// may returns an error for a resolved path that must not be changed; it may be nil. A patch that cannot be
// applied as a whole is a [model.Mistake], and no file is changed.
func Apply(ctx context.Context, root *os.Root, text string, may func(path string) error) ([]Change, error) {
	if len(text) > workfile.MaxWrite {
		return nil, model.Mistakef("The patch is larger than %s: send it in parts.", plaintext.FormatSize(workfile.MaxWrite))
	}
	sections, err := Parse(text)
	if err != nil {
		return nil, err
	}
	p := &plan{ctx: ctx, root: root, may: may, files: map[string]*planned{}}
	for _, s := range sections {
		if err := p.add(s); err != nil {
			return nil, explainRefusal(s, err)
		}
	}
	if err := p.judge(); err != nil {
		return nil, explainRefusal(Section{}, err)
	}
	if err := p.carryOut(); err != nil {
		return nil, explainRefusal(Section{}, err)
	}
	return p.changes(), nil
}

// explainRefusal adds to a refusal which file is at fault, and that no file was changed.
func explainRefusal(s Section, err error) error {
	var w model.Mistake
	if !errors.As(err, &w) {
		return err
	}
	text := strings.TrimRight(string(w), "\n")
	if s.Path != "" && !strings.Contains(text, plaintext.QuotePath(s.Path)) {
		text = plaintext.QuotePath(s.Path) + ": " + text
	}
	return model.Mistake(text + "\nNo file was changed: mend the patch and send the whole of it again.")
}

// changes returns the files that the plan has changed.
func (p *plan) changes() (all []Change) {
	for _, name := range p.order {
		if f := p.files[name]; f.changed() {
			all = append(all, Change{Path: name, Before: f.was.Data, After: f.now, Existed: f.existed, Exists: f.exists})
		}
	}
	return all
}

// A plan holds the files that a patch touches, as they would be after it. Nothing is written before all of it
// is known to be possible.
type plan struct {
	ctx   context.Context
	root  *os.Root
	may   func(real string) error // nil: all files may be changed
	files map[string]*planned
	order []string
}

type planned struct {
	was     workfile.Content
	existed bool
	now     []byte
	exists  bool
	mode    fs.FileMode
}

func (f *planned) changed() bool {
	return f.exists != f.existed || f.exists && string(f.now) != string(f.was.Data)
}

// at returns the resolved path of a file, and the file as it is planned so far.
func (p *plan) at(name string) (string, *planned, error) {
	real, err := workfile.ResolveTarget(p.root, name)
	if err == nil && p.may != nil {
		err = p.may(real)
	}
	if err != nil {
		return "", nil, err
	}
	if f, ok := p.files[real]; ok {
		return real, f, nil
	}
	was, exists, err := workfile.LoadExisting(p.root, real)
	if err != nil {
		return "", nil, err
	}
	f := &planned{was: was, existed: exists, now: was.Data, exists: exists, mode: 0o644}
	if exists {
		f.mode = was.Mode
	}
	p.files[real] = f
	p.order = append(p.order, real)
	return real, f, nil
}

func (p *plan) add(s Section) error {
	name, f, err := p.at(s.Path)
	if err != nil {
		return err
	}
	switch s.kind {
	case addFile:
		return f.create(name, s.added)
	case deleteFile:
		if !f.exists {
			return p.missing(name)
		}
		f.exists, f.now = false, nil
		return nil
	}
	if !f.exists {
		return p.missing(name)
	}
	return p.update(name, f, s)
}

func (p *plan) missing(name string) error {
	return model.Mistakef("There is no %s.%s", plaintext.QuotePath(name), workfile.SuggestPaths(workfile.NearPaths(p.ctx, p.root, name)))
}

func (f *planned) create(name string, added []string) error {
	if f.exists {
		return model.Mistakef("%s exists already: use %s to change it.", plaintext.QuotePath(name), markUpdate)
	}
	text := ""
	if len(added) > 0 {
		text = strings.Join(added, "\n") + "\n"
	}
	data, err := workfile.CheckText(text)
	if err != nil {
		return err
	}
	if f.existed && f.was.EndsInCRLF() {
		data = workfile.ToCRLF(text)
	}
	f.exists, f.now = true, data
	return nil
}

func (p *plan) update(name string, f *planned, s Section) error {
	if workfile.IsPrivate(name) {
		return workfile.RefuseSecret(name)
	}
	if workfile.IsBinary(f.now) {
		return model.Mistakef("%s is a binary file: it cannot be patched.", plaintext.QuotePath(name))
	}
	text, err := applyHunks(string(f.now), s.hunks)
	switch {
	case err != nil:
		return err
	case len(text) > workfile.MaxFile || strings.ContainsRune(text, 0):
		return model.Mistakef("%s would grow beyond %s or hold NUL characters.", plaintext.QuotePath(name), plaintext.FormatSize(workfile.MaxFile))
	}
	f.now = []byte(text)
	if s.moveTo == "" {
		return nil
	}
	toName, to, err := p.at(s.moveTo)
	switch {
	case err != nil:
		return err
	case toName == name:
		return nil
	case to.exists:
		return model.Mistakef("%s exists already: nothing can be moved there.", plaintext.QuotePath(toName))
	}
	to.exists, to.now, to.mode = true, f.now, f.mode
	f.exists, f.now = false, nil
	return nil
}

// judge refuses a plan with a file below another file.
func (p *plan) judge() error {
	for _, name := range p.order {
		if !p.files[name].exists {
			continue
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if f, ok := p.files[dir]; ok && f.exists {
				return model.Mistakef("%s cannot be both a file and the folder of %s.", plaintext.QuotePath(dir), plaintext.QuotePath(name))
			}
			info, err := p.root.Stat(dir)
			if err == nil && !info.IsDir() && (p.files[dir] == nil || p.files[dir].exists) {
				return model.Mistakef("%s is a file, so nothing can be put below it.", plaintext.QuotePath(dir))
			}
		}
	}
	return nil
}

// carryOut removes and writes files. Removals come first, so that a folder can take the place of a file. If
// it fails half way, it undoes what it did.
func (p *plan) carryOut() error {
	var done []string
	for _, remove := range []bool{true, false} {
		for _, name := range p.order {
			f := p.files[name]
			if !f.changed() || f.exists == remove {
				continue
			}
			done = append(done, name)
			if err := p.write(name, f); err != nil {
				return errors.Join(err, p.takeBack(done))
			}
		}
	}
	return nil
}

func (p *plan) write(name string, f *planned) error {
	if f.exists {
		return workfile.Store(p.root, name, f.now, f.mode)
	}
	if err := p.root.Remove(name); err != nil {
		return workfile.ExplainPathError(name, err)
	}
	return nil
}

// takeBack restores files as they were, the last one first.
func (p *plan) takeBack(done []string) error {
	var failed error
	for _, name := range slices.Backward(done) {
		f := p.files[name]
		if f.existed {
			failed = errors.Join(failed, workfile.Store(p.root, name, f.was.Data, f.was.Mode))
		} else if err := p.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}
