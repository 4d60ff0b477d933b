package page

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/bobbinhq/bobbin/bot/pagestyle"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
)

// A file holds the changes of one file in a push, with the proofs of each hunk.
type file struct {
	pagestyle.File
	Hunks []hunk
}

type hunk struct {
	pagestyle.Hunk
	Proofs []proof
}

// A proof is the result of testing the fix without one of its hunks.
type proof struct {
	Verdict string // a verdict of package workflow, such as workflow.HunkNeeded
	Text    string
}

// pushes returns the pushes of a session, newest first, with diffs for those that were done.
func (p *Pages) pushes(ctx context.Context, s workflow.Session) ([]push, error) {
	all, err := p.Store.Pushes(ctx, s.ID)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	rows, err := p.Store.TriedHunks(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	var list []push
	for _, x := range slices.Backward(all) {
		shown := push{Push: x}
		shown.Reason = p.mask(x.Reason)
		if x.State == workflow.PushDone {
			shown.Files = proven(p.diffOf(ctx, s.Repository, x.Commit), hunksOf(rows, x), p.mask)
		}
		for _, f := range shown.Files {
			shown.Added = shown.Added + f.Added
			shown.Removed = shown.Removed + f.Removed
		}
		list = append(list, shown)
	}
	return list, nil
}

// hunksOf returns the results for exactly the change that was pushed: the same base commit and tree.
func hunksOf(rows []progress.TriedHunks, x workflow.Push) (found workflow.HunkResults) {
	for _, r := range rows {
		if r.Base == x.BaseCommit && r.Tree == x.Tree {
			found = r.Hunks
		}
	}
	return found
}

// proven adds the results to each hunk of a diff. One hunk of the diff may hold several tested hunks, since
// git joins changes that are close together.
func proven(files []pagestyle.File, known workflow.HunkResults, mask func(string) string) (list []file) {
	for _, f := range files {
		shown := file{File: f}
		for _, h := range f.Hunks {
			one := hunk{Hunk: h}
			for _, k := range known {
				if k.Path == f.Name && (k.Line == 0 || h.From <= k.Line && k.Line <= h.To+1) {
					one.Proofs = append(one.Proofs, proof{k.Verdict, mask(proofText(k))})
				}
			}
			shown.Hunks = append(shown.Hunks, one)
		}
		list = append(list, shown)
	}
	return list
}

func proofText(k workflow.HunkResult) (text string) {
	if k.Line > 0 {
		text = fmt.Sprintf("Line %d: ", k.Line)
	}
	switch {
	case k.Verdict == workflow.HunkUntried:
		return text + "not tried, " + k.Why + "."
	case k.Verdict == workflow.HunkNeeded:
		return text + "needed. Without it: " + k.Why + "."
	case k.Kept != "":
		return text + "nothing fails without it. Kept: " + k.Kept
	}
	return text + "nothing fails without it."
}

// diffs caches diffs of commits, which never change. The zero value is an empty cache.
type diffs struct {
	mu    sync.Mutex
	known map[string][]pagestyle.File // by repository and commit
}

// maxDiffs is how many diffs are cached; a full cache is emptied.
const maxDiffs = 20

// diffOf returns a commit's diff, highlighted and with its secrets masked.
func (p *Pages) diffOf(ctx context.Context, repository, commit string) []pagestyle.File {
	p.diffs.mu.Lock()
	files, known := p.diffs.known[repository+" "+commit]
	p.diffs.mu.Unlock()
	if known {
		return files
	}
	// A character that hides or reverses others is shown as its escape: it may be what is wrong.
	files = pagestyle.SplitDiff(plaintext.EscapeText(p.Secrets.Mask(p.DiffOf(ctx, repository, commit))))
	if len(files) == 0 {
		return nil // it may be available later
	}
	p.diffs.mu.Lock()
	defer p.diffs.mu.Unlock()
	if len(p.diffs.known) >= maxDiffs || p.diffs.known == nil {
		p.diffs.known = map[string][]pagestyle.File{}
	}
	p.diffs.known[repository+" "+commit] = files
	return files
}
