package diff

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	gitdiff "github.com/go-git/go-git/v5/plumbing/format/diff"
	linediff "github.com/go-git/go-git/v5/utils/diff"
	"github.com/sergi/go-diff/diffmatchpatch"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
)

const (
	maxDiffed   = 4 << 20 // bytes; a larger side is replaced as a whole
	diffContext = 3
)

// lineDiff compares by lines. It uses the exact algorithm of go-git, because the go-udiff library gives
// up after 50 edits and then marks whole regions as changed.
func lineDiff(before, after []byte) []diffmatchpatch.Diff {
	a := string(before)
	b := string(after)
	if len(a) > maxDiffed || len(b) > maxDiffed || a == "" || b == "" {
		var out []diffmatchpatch.Diff
		if a != "" {
			out = append(out, diffmatchpatch.Diff{Type: diffmatchpatch.DiffDelete, Text: a})
		}
		if b != "" {
			out = append(out, diffmatchpatch.Diff{Type: diffmatchpatch.DiffInsert, Text: b})
		}
		return out
	}
	if CountLines(a)+CountLines(b) > alwaysExact {
		if old, now := SplitLines(before), SplitLines(after); !isCheap(old, now, maxSteps) {
			return replaceMiddle(old, now)
		}
	}
	return linediff.Do(a, b)
}

func countLines(before, after []byte) (added, removed int) {
	if bytes.Equal(before, after) {
		return 0, 0
	}
	for _, part := range lineDiff(before, after) {
		switch part.Type {
		case diffmatchpatch.DiffInsert:
			added += CountLines(part.Text)
		case diffmatchpatch.DiffDelete:
			removed += CountLines(part.Text)
		}
	}
	return added, removed
}

// CountLines counts the lines of s, including a last line without a line end.
func CountLines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// WriteUnified writes the part of a unified diff for one path.
func WriteUnified(w io.Writer, d *gittree.Delta, before, after []byte) error {
	if isTypeChange(d) { // shown as in git: one entry is deleted, another one added
		gone := *d
		comes := *d
		gone.After = gittree.Node{}
		comes.Before = gittree.Node{}
		if err := WriteUnified(w, &gone, before, nil); err != nil {
			return err
		}
		return WriteUnified(w, &comes, nil, after)
	}
	p := &filePatch{delta: d}
	if d.TooLarge() || IsBinary(before) || IsBinary(after) {
		p.binary = true
	} else if !bytes.Equal(before, after) {
		for _, part := range lineDiff(before, after) {
			p.chunks = append(p.chunks, chunk{part})
		}
	}
	if err := gitdiff.NewUnifiedEncoder(w, diffContext).Encode(onePatch{p}); err != nil {
		return fmt.Errorf("git: write diff of %s: %w", d.Path, err)
	}
	return nil
}

func isTypeChange(d *gittree.Delta) bool {
	if d.Before.None() || d.After.None() {
		return false
	}
	plain := func(n gittree.Node) bool { return n.IsFile() }
	return plain(d.Before) != plain(d.After) || !plain(d.Before) && d.Before.Mode != d.After.Mode
}

// onePatch, filePatch, patchFile and chunk implement the interfaces that go-git's encoder reads.
type onePatch struct{ file *filePatch }

func (o onePatch) FilePatches() []gitdiff.FilePatch { return []gitdiff.FilePatch{o.file} }

func (o onePatch) Message() string { return "" }

type filePatch struct {
	delta  *gittree.Delta
	binary bool
	chunks []gitdiff.Chunk
}

func (f *filePatch) IsBinary() bool { return f.binary }

func (f *filePatch) Chunks() []gitdiff.Chunk { return f.chunks }

func (f *filePatch) Files() (from, to gitdiff.File) {
	if !f.delta.Before.None() {
		from = patchFile{f.delta.Path, f.delta.Before}
	}
	if !f.delta.After.None() {
		to = patchFile{f.delta.Path, f.delta.After}
	}
	return from, to
}

type patchFile struct {
	path string
	node gittree.Node
}

func (p patchFile) Hash() plumbing.Hash { return p.node.Hash }

func (p patchFile) Mode() filemode.FileMode { return p.node.Mode }

func (p patchFile) Path() string { return gittree.QuotePath(p.path) }

type chunk struct{ part diffmatchpatch.Diff }

func (c chunk) Content() string { return c.part.Text }

func (c chunk) Type() gitdiff.Operation {
	switch c.part.Type {
	case diffmatchpatch.DiffInsert:
		return gitdiff.Add
	case diffmatchpatch.DiffDelete:
		return gitdiff.Delete
	}
	return gitdiff.Equal
}
