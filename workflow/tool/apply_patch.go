package tool

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

type patchArgs struct {
	Patch string `json:"patch"`
}

func (b *Bench) applyPatch(ctx context.Context, in patchArgs) (string, error) {
	if err := b.mayWrite(); err != nil {
		return "", err
	}
	if len(in.Patch) > maxWrite {
		return "", wrongf("The patch is larger than %s: send it in parts.", plaintext.FormatSize(maxWrite))
	}
	sections, err := parsePatch(in.Patch)
	if err != nil {
		return "", err
	}
	b.changing.Lock()
	defer b.changing.Unlock()
	p := &plan{ctx: ctx, root: b.Workspace.Root(), may: b.mayTouch, files: map[string]*planned{}}
	for _, s := range sections {
		if err := p.add(s); err != nil {
			return "", nothingDone(s, err)
		}
	}
	if err := p.judge(); err != nil {
		return "", nothingDone(section{}, err)
	}
	if err := p.carryOut(); err != nil {
		return "", nothingDone(section{}, err)
	}
	return b.patched(p), nil
}

// nothingDone says of a refused patch which file is to blame and that none was touched.
func nothingDone(s section, err error) error {
	var w wrong
	if !errors.As(err, &w) {
		return err
	}
	text := strings.TrimRight(string(w), "\n")
	if s.path != "" && !strings.Contains(text, plaintext.QuotePath(s.path)) {
		text = plaintext.QuotePath(s.path) + ": " + text
	}
	return wrong(text + "\nNo file was changed: mend the patch and send the whole of it again.")
}

// patched tells the Bench and the model what was done.
func (b *Bench) patched(p *plan) string {
	var text strings.Builder
	for _, name := range p.order {
		f := p.files[name]
		switch {
		case !f.changed():
		case !f.exists:
			b.forget(name)
			fmt.Fprintf(&text, "%s deleted\n", plaintext.QuotePath(name))
		case !f.existed:
			b.remember(name, f.now)
			fmt.Fprintf(&text, "%s written: new, %s\n", plaintext.QuotePath(name), lineCount(f.now))
		case Private(name):
			fmt.Fprintf(&text, "%s changed\n", plaintext.QuotePath(name))
		default:
			if b.knows(name, f.was.data) == nil {
				b.remember(name, f.now)
			}
			fmt.Fprintf(&text, "%s changed\n%s", plaintext.QuotePath(name), shortDiff(f.was.data, f.now))
		}
		if f.exists && f.changed() {
			text.WriteString(complaints(name, f.now))
		}
	}
	if text.Len() == 0 {
		return "The files hold just that already: nothing was changed."
	}
	b.edited()
	out, _ := plaintext.CutMiddle(text.String(), outputEnd, outputEnd)
	return out
}

// A plan is the files that a patch touches, as they would be after it. Nothing is
// written before all of it is known to be possible.
type plan struct {
	ctx   context.Context
	root  *os.Root
	may   func(real string) error // nil: all may be changed
	files map[string]*planned
	order []string
}

type planned struct {
	was     content
	existed bool
	now     []byte
	exists  bool
	mode    fs.FileMode
}

func (f *planned) changed() bool {
	return f.exists != f.existed || f.exists && string(f.now) != string(f.was.data)
}

// at is the file as the plan has it so far.
func (p *plan) at(name string) (string, *planned, error) {
	real, err := target(p.root, name)
	if err == nil && p.may != nil {
		err = p.may(real)
	}
	if err != nil {
		return "", nil, err
	}
	if f, ok := p.files[real]; ok {
		return real, f, nil
	}
	was, exists, err := existing(p.root, real)
	if err != nil {
		return "", nil, err
	}
	f := &planned{was: was, existed: exists, now: was.data, exists: exists, mode: 0o644}
	if exists {
		f.mode = was.mode
	}
	p.files[real] = f
	p.order = append(p.order, real)
	return real, f, nil
}

func (p *plan) add(s section) error {
	name, f, err := p.at(s.path)
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
	return wrongf("There is no %s.%s", plaintext.QuotePath(name), didYouMean(near(p.ctx, p.root, name)))
}

func (f *planned) create(name string, added []string) error {
	if f.exists {
		return wrongf("%s exists already: use %s to change it.", plaintext.QuotePath(name), markUpdate)
	}
	text := ""
	if len(added) > 0 {
		text = strings.Join(added, "\n") + "\n"
	}
	data, err := writable(text)
	if err != nil {
		return err
	}
	if f.existed && f.was.crlf() {
		data = windows(text)
	}
	f.exists, f.now = true, data
	return nil
}

func (p *plan) update(name string, f *planned, s section) error {
	if Private(name) {
		return secretFile(name)
	}
	if binary(f.now) {
		return wrongf("%s is a binary file: it cannot be patched.", plaintext.QuotePath(name))
	}
	text, err := applyHunks(string(f.now), s.hunks)
	switch {
	case err != nil:
		return err
	case len(text) > maxFile || strings.ContainsRune(text, 0):
		return wrongf("%s would grow beyond %s or hold NUL characters.", plaintext.QuotePath(name), plaintext.FormatSize(maxFile))
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
		return wrongf("%s exists already: nothing can be moved there.", plaintext.QuotePath(toName))
	}
	to.exists, to.now, to.mode = true, f.now, f.mode
	f.exists, f.now = false, nil
	return nil
}

// judge refuses files that would lie below files.
func (p *plan) judge() error {
	for _, name := range p.order {
		if !p.files[name].exists {
			continue
		}
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if f, ok := p.files[dir]; ok && f.exists {
				return wrongf("%s cannot be both a file and the folder of %s.", plaintext.QuotePath(dir), plaintext.QuotePath(name))
			}
			info, err := p.root.Stat(dir)
			if err == nil && !info.IsDir() && (p.files[dir] == nil || p.files[dir].exists) {
				return wrongf("%s is a file, so nothing can be put below it.", plaintext.QuotePath(dir))
			}
		}
	}
	return nil
}

// carryOut removes and writes. What fails half way is taken back: removals come first,
// so that a folder can take the place of a file.
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
		return store(p.root, name, f.now, f.mode)
	}
	if err := p.root.Remove(name); err != nil {
		return pathError(name, err)
	}
	return nil
}

// takeBack puts files back as they were, the last one first.
func (p *plan) takeBack(done []string) error {
	var failed error
	for _, name := range slices.Backward(done) {
		f := p.files[name]
		if f.existed {
			failed = errors.Join(failed, store(p.root, name, f.was.data, f.was.mode))
		} else if err := p.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = errors.Join(failed, err)
		}
	}
	return failed
}
