package repo

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	gitdiff "github.com/go-git/go-git/v5/plumbing/format/diff"
	linediff "github.com/go-git/go-git/v5/utils/diff"
	"github.com/sergi/go-diff/diffmatchpatch"
)

const (
	maxDiffed   = 4 << 20         // a side larger than this is replaced whole
	diffPatient = 2 * time.Second // for one file; then the diff is coarser, still right
	diffContext = 3
)

// lineDiff compares by lines. The go-udiff library gives up after 50 edits and
// then claims whole regions, so the exact one that go-git uses is taken.
func lineDiff(before, after []byte) []diffmatchpatch.Diff {
	a, b := string(before), string(after)
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
	return linediff.DoWithTimeout(a, b, diffPatient)
}

func countLines(before, after []byte) (added, removed int) {
	if bytes.Equal(before, after) {
		return 0, 0
	}
	for _, part := range lineDiff(before, after) {
		switch part.Type {
		case diffmatchpatch.DiffInsert:
			added += lines(part.Text)
		case diffmatchpatch.DiffDelete:
			removed += lines(part.Text)
		}
	}
	return added, removed
}

// lines counts a last line without an end too.
func lines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && !strings.HasSuffix(s, "\n") {
		n++
	}
	return n
}

// writeDiff writes one file's part of a diff.
func writeDiff(w io.Writer, d *delta, before, after []byte) error {
	if isTypeChange(d) { // shown as git shows it: one thing goes, another comes
		gone, comes := *d, *d
		gone.after, comes.before = node{}, node{}
		if err := writeDiff(w, &gone, before, nil); err != nil {
			return err
		}
		return writeDiff(w, &comes, nil, after)
	}
	p := &filePatch{delta: d}
	if d.tooLarge() || isBinary(before) || isBinary(after) {
		p.binary = true
	} else if !bytes.Equal(before, after) {
		for _, part := range lineDiff(before, after) {
			p.chunks = append(p.chunks, chunk{part})
		}
	}
	if err := gitdiff.NewUnifiedEncoder(w, diffContext).Encode(onePatch{p}); err != nil {
		return fmt.Errorf("repo: write diff of %s: %w", d.path, err)
	}
	return nil
}

func isTypeChange(d *delta) bool {
	if d.before.none() || d.after.none() {
		return false
	}
	plain := func(n node) bool { return n.isFile() }
	return plain(d.before) != plain(d.after) || !plain(d.before) && d.before.mode != d.after.mode
}

// onePatch, filePatch, patchFile and chunk are what go-git's encoder reads.
type onePatch struct{ file *filePatch }

func (p onePatch) FilePatches() []gitdiff.FilePatch { return []gitdiff.FilePatch{p.file} }
func (p onePatch) Message() string                  { return "" }

type filePatch struct {
	delta  *delta
	binary bool
	chunks []gitdiff.Chunk
}

func (p *filePatch) IsBinary() bool          { return p.binary }
func (p *filePatch) Chunks() []gitdiff.Chunk { return p.chunks }

func (p *filePatch) Files() (from, to gitdiff.File) {
	if !p.delta.before.none() {
		from = patchFile{p.delta.path, p.delta.before}
	}
	if !p.delta.after.none() {
		to = patchFile{p.delta.path, p.delta.after}
	}
	return from, to
}

type patchFile struct {
	path string
	node node
}

func (f patchFile) Hash() plumbing.Hash     { return f.node.hash }
func (f patchFile) Mode() filemode.FileMode { return f.node.mode }
func (f patchFile) Path() string            { return quote(f.path) }

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

// quote keeps a hostile name from writing lines of its own into a diff or a list.
func quote(path string) string {
	if !strings.ContainsFunc(path, func(r rune) bool { return r < ' ' || r == 0x7f || r == '"' || r == 0xfffd }) {
		return path
	}
	return fmt.Sprintf("%q", path)
}
