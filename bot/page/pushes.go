package page

import (
	"context"
	"fmt"
	"sync"

	"github.com/bobbinhq/bobbin/bot/look"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/tried"
)

// A file is what a push changes of one file, hunk by hunk with what proves it.
type file struct {
	look.File
	Hunks []hunk
}

type hunk struct {
	look.Hunk
	Shown []proof
}

// A proof is what came of the fix without one of its hunks.
type proof struct {
	Verdict string // as package tried has it
	Text    string
}

// pushes are a session's, with their diffs where they were made.
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
	for _, x := range all {
		shown := push{Push: x}
		if x.State == outgoing.PushDone {
			shown.Files = proven(p.diffOf(ctx, s.Repository, x.Commit), hunksOf(rows, x), p.Secrets.Mask)
		}
		list = append(list, shown)
	}
	return list, nil
}

// hunksOf are those of the very change that was pushed.
func hunksOf(rows []progress.TriedHunks, x outgoing.Push) (found tried.Hunks) {
	for _, r := range rows {
		if r.Base == x.BaseCommit && r.Tree == x.Tree {
			found = r.Hunks
		}
	}
	return found
}

// proven puts what came of trying beside each hunk of a diff. A hunk of a diff may be several that
// were tried, since git joins what is near.
func proven(files []look.File, known tried.Hunks, mask func(string) string) (list []file) {
	for _, f := range files {
		shown := file{File: f}
		for _, h := range f.Hunks {
			one := hunk{Hunk: h}
			for _, k := range known {
				if k.Path == f.Name && (k.Line == 0 || h.From <= k.Line && k.Line <= h.To+1) {
					one.Shown = append(one.Shown, proof{k.Verdict, mask(proofText(k))})
				}
			}
			shown.Hunks = append(shown.Hunks, one)
		}
		list = append(list, shown)
	}
	return list
}

func proofText(k tried.Hunk) (text string) {
	if k.Line > 0 {
		text = fmt.Sprintf("Line %d: ", k.Line)
	}
	switch {
	case k.Verdict == tried.Untried:
		return text + "not tried, " + k.Why + "."
	case k.Verdict == tried.Needed:
		return text + "needed. Without it: " + k.Why + "."
	case k.Kept != "":
		return text + "nothing fails without it. Kept: " + k.Kept
	}
	return text + "nothing fails without it."
}

// diffs keeps the diffs that were shown last: they are the same for good. The zero value keeps none.
type diffs struct {
	mu    sync.Mutex
	known map[string][]look.File // by repository and commit
}

// mostDiffs is how many are kept.
const mostDiffs = 20

// diffOf is a commit's diff with its secrets masked, in colours.
func (p *Pages) diffOf(ctx context.Context, repository, commit string) []look.File {
	p.diffs.mu.Lock()
	files, known := p.diffs.known[repository+" "+commit]
	p.diffs.mu.Unlock()
	if known {
		return files
	}
	files = look.SplitDiff(p.Secrets.Mask(p.DiffOf(ctx, repository, commit)))
	if len(files) == 0 {
		return nil // it may be had later
	}
	p.diffs.mu.Lock()
	defer p.diffs.mu.Unlock()
	if len(p.diffs.known) >= mostDiffs || p.diffs.known == nil {
		p.diffs.known = map[string][]look.File{}
	}
	p.diffs.known[repository+" "+commit] = files
	return files
}
