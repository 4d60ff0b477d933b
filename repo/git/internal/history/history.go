package history

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/objects"
)

// Commit is a commit in the form that people read.
type Commit struct {
	Hash, Author, Email, Subject, Body string
	When                               time.Time // when it was written
	Committed                          time.Time // when it was committed, which a rebase changes
}

// A Window says which commits are meant. A zero field is no bound.
type Window struct {
	Since, Until time.Time // of the commits
	Not          string    // the whole hash of a commit: it and its ancestors are left out
}

const (
	logMost   = 500       // maximum number of commits that Log returns
	logVisits = 50_000    // maximum number of commits that it looks at
	showMost  = 256 << 10 // maximum bytes of a diff that Show returns
)

// ErrShallow says that the remote itself has no older history, so what the commit changed is unknown.
var ErrShallow = errors.New("git: the remote's history begins with this commit, " +
	"as that of a shallow clone: what it changed cannot be told")

// Of returns a commit in the form that people read.
func Of(c *object.Commit) Commit {
	subject, body, _ := strings.Cut(strings.TrimSpace(c.Message), "\n")
	return Commit{
		Hash: c.Hash.String(), Author: c.Author.Name, Email: c.Author.Email,
		Subject: strings.TrimSpace(subject), Body: strings.TrimSpace(body), When: c.Author.When,
		Committed: c.Committer.When,
	}
}

// Log returns the last n commits from start on that changed a path ("" means any), newest first. If ctx
// ends first, it returns the commits found so far, and the error only if there are none.
func Log(ctx context.Context, s *objects.Store, start *object.Commit, path string, n int) ([]Commit, error) {
	return LogWithin(ctx, s, start, path, Window{}, n)
}

// LogWithin is Log for the commits within a window. It does not look behind a commit that is older, as git
// log --since does not.
func LogWithin(
	ctx context.Context, s *objects.Store, start *object.Commit, path string, within Window, n int,
) ([]Commit, error) {
	path = strings.Trim(path, "/")
	walk := &history{store: s, path: path, seen: map[plumbing.Hash]bool{}}
	if within.Not != "" {
		not, err := s.Commit(plumbing.NewHash(within.Not))
		if err == nil {
			walk.only, err = Beyond(ctx, s, start, not)
		}
		if err != nil {
			return nil, err
		}
	}
	if err := walk.pushCommit(start); err != nil {
		return nil, err
	}
	var out []Commit
	for visits := 0; walk.Len() > 0 && len(out) < min(max(n, 1), logMost) && visits < logVisits; visits++ {
		if err := ctx.Err(); err != nil {
			return outOfTime(out, err)
		}
		newest := walk.queue[0].commit.Committer.When
		if newest.Before(within.Since) {
			break
		}
		touched, c, err := walk.stepBack()
		if err != nil {
			return nil, err
		}
		if touched && (within.Until.IsZero() || !newest.After(within.Until)) {
			out = append(out, Of(c))
		}
	}
	return out, nil
}

// Find returns the newest commit from start on for which match returns true. found is false if none of those
// that it looks at does.
func Find(
	ctx context.Context, s *objects.Store, start *object.Commit, match func(Commit) bool,
) (_ Commit, found bool, err error) {
	walk := &history{store: s, seen: map[plumbing.Hash]bool{}}
	if err := walk.pushCommit(start); err != nil {
		return Commit{}, false, err
	}
	for visits := 0; walk.Len() > 0 && visits < logVisits; visits++ {
		if err := ctx.Err(); err != nil {
			return Commit{}, false, err
		}
		_, c, err := walk.stepBack()
		if err != nil {
			return Commit{}, false, err
		}
		if one := Of(c); match(one) {
			return one, true, nil
		}
	}
	return Commit{}, false, nil
}

func outOfTime(out []Commit, err error) ([]Commit, error) {
	if len(out) > 0 {
		return out, nil
	}
	return nil, err
}

// history walks back from the newest commit. From a merge it goes only to the parent in which the path
// is the same, if there is one, since the path came from there.
type history struct {
	store *objects.Store
	path  string
	seen  map[plumbing.Hash]bool
	only  map[plumbing.Hash]bool // the commits to visit; nil: all
	queue []visit
}

type visit struct {
	commit *object.Commit
	at     gittree.Node // the path in this commit
}

func (h *history) Len() int { return len(h.queue) }

func (h *history) Less(i, j int) bool {
	return h.queue[i].commit.Committer.When.After(h.queue[j].commit.Committer.When)
}

func (h *history) Swap(i, j int) { h.queue[i], h.queue[j] = h.queue[j], h.queue[i] }

func (h *history) Push(v any) { h.queue = append(h.queue, v.(visit)) }

func (h *history) Pop() any {
	last := h.queue[len(h.queue)-1]
	h.queue = h.queue[:len(h.queue)-1]
	return last
}

func (h *history) visitCommit(c *object.Commit) (visit, error) {
	at, err := gittree.FindNode(h.store, c.TreeHash, h.path)
	return visit{c, at}, err
}

func (h *history) pushCommit(c *object.Commit) error {
	v, err := h.visitCommit(c)
	if err == nil {
		h.pushVisit(v)
	}
	return err
}

// pushVisit queues a commit that was not queued before and is to be visited.
func (h *history) pushVisit(v visit) {
	if hash := v.commit.Hash; !h.seen[hash] && (h.only == nil || h.only[hash]) {
		h.seen[hash] = true
		heap.Push(h, v)
	}
}

func (h *history) stepBack() (touched bool, c *object.Commit, err error) {
	v := heap.Pop(h).(visit)
	parents, err := h.visitParents(v.commit)
	if err != nil {
		return false, nil, err
	}
	for _, p := range parents {
		if h.path != "" && p.at.Same(v.at) {
			h.pushVisit(p)
			return false, v.commit, nil
		}
	}
	for _, p := range parents {
		h.pushVisit(p)
	}
	return h.path == "" || len(parents) > 0 || !v.at.None(), v.commit, nil
}

func (h *history) visitParents(c *object.Commit) ([]visit, error) {
	out := make([]visit, 0, len(c.ParentHashes))
	for _, hash := range c.ParentHashes {
		parent, err := h.store.Commit(hash)
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			continue // a shallow clone ends here
		}
		if err != nil {
			return nil, err
		}
		v, err := h.visitCommit(parent)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// Show returns a commit and its diff against its first parent, cut at 256 KB. within limits the diff to
// a path ("" means all). The content of files for which hidden returns true is left out; hidden may be
// nil.
func Show(
	ctx context.Context, s *objects.Store, c *object.Commit, within string, hidden func(path string) bool,
) (Commit, string, error) {
	var before plumbing.Hash
	if len(c.ParentHashes) > 0 {
		parent, err := s.Commit(c.ParentHashes[0])
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			return Of(c), "", ErrShallow
		}
		if err != nil {
			return Commit{}, "", err
		}
		before = parent.TreeHash
	}
	text, err := Diff(ctx, s, before, c.TreeHash, within, hidden)
	if err != nil {
		return Commit{}, "", err
	}
	return Of(c), text, nil
}

// Diff returns the diff of two trees, as Show does.
func Diff(
	ctx context.Context, s *objects.Store, before, after plumbing.Hash, within string,
	hidden func(path string) bool,
) (string, error) {
	deltas, err := gittree.Compare(ctx, s, before, after, "")
	if err != nil {
		return "", err
	}
	deltas = slices.DeleteFunc(deltas, func(d gittree.Delta) bool {
		return within != "" && d.Path != within && !strings.HasPrefix(d.Path, within+"/")
	})
	slices.SortFunc(deltas, func(a, b gittree.Delta) int { return cmp.Compare(a.Path, b.Path) })
	return writeDiffs(ctx, s, deltas, hidden)
}

func writeDiffs(
	ctx context.Context, s *objects.Store, deltas []gittree.Delta, hidden func(string) bool,
) (string, error) {
	var out strings.Builder
	for i := range deltas {
		if err := ctx.Err(); err != nil {
			return "", err
		}
		if out.Len() > showMost {
			fmt.Fprintf(&out, "… %d more files\n", len(deltas)-i)
			break
		}
		if hidden != nil && hidden(deltas[i].Path) {
			fmt.Fprintf(&out, "diff --git %s %s\n… changed, and not shown\n",
				gittree.QuotePath("a/"+deltas[i].Path), gittree.QuotePath("b/"+deltas[i].Path))
			continue
		}
		before, after, err := readSides(s, &deltas[i])
		if err != nil {
			return "", err
		}
		var one strings.Builder
		if err := diff.WriteUnified(&one, &deltas[i], before, after); err != nil {
			return "", err
		}
		out.WriteString(cutText(one.String(), showMost-out.Len()))
	}
	return out.String(), nil
}

// cutText cuts a text at the end of a line and adds how much is missing.
func cutText(text string, room int) string {
	if len(text) <= room || room < 0 {
		return text
	}
	end := strings.LastIndexByte(text[:room], '\n') + 1
	return text[:end] + fmt.Sprintf("… %d bytes more of this file\n", len(text)-end)
}

// readSides reads both sides of a delta between trees. Files too large to compare count as empty.
func readSides(s *objects.Store, d *gittree.Delta) (before, after []byte, err error) {
	if err := errors.Join(gittree.MeasureSide(s, d, d.Before),
		gittree.MeasureSide(s, d, d.After)); err != nil || d.TooLarge() {
		return nil, nil, err
	}
	if before, err = gittree.ReadContent(s, d.Before); err != nil {
		return nil, nil, err
	}
	after, err = gittree.ReadContent(s, d.After)
	return before, after, err
}
