package proof

import (
	"context"
	"fmt"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

// miscount says that the tests of a run were not counted rightly, with both numbers. It returns an empty
// string if they were, as far as the runner's own summary tells.
func miscount(r result.Result, where string) string {
	counted, stated, wrong := r.Miscounted()
	if !wrong {
		return ""
	}
	return fmt.Sprintf("an error of Bobbin, not of the change: it read %d tests on %s, where the runner "+
		"itself counts %d", counted, where, stated)
}

// judgeMiscounted judges the change if the tests of a run were not counted rightly, so that the counts are
// neither proof nor refusal. It returns false if all were counted rightly.
//
// If it is the base's run, the exit codes decide, and where these do not tell, the new tests alone on the old
// and the new code. If it is a run with the change, nothing is known: what the change's own tests print must
// not decide how it is judged.
func (p *proving) judgeMiscounted(ctx context.Context) (bool, error) {
	why := miscount(p.Base, p.BaseName)
	if why == "" {
		for where, r := range map[string]result.Result{
			"the branch": p.Branch, p.BaseName + " with the new tests": p.OnBase,
		} {
			if why = miscount(r, where); why != "" {
				p.Missing = why
				p.Why = why
				return true, nil
			}
		}
		return false, nil
	}
	for _, r := range []*result.Result{&p.Base, &p.OnBase, &p.Branch} {
		*r = r.WithoutCounts()
	}
	p.Miscounted = why
	if p.Base.TestsOK {
		if err := p.findChanged(ctx, newIndex(p.Base), newIndex(p.Branch)); err != nil {
			return true, err
		}
		p.judgeFigures()
		if p.Passes() || !p.Branch.TestsOK || p.tests.isEmpty() {
			return true, nil
		}
	}
	whole := p.Proof
	if !p.isAlone {
		alone, err := p.proveAlone(ctx, "the tests cannot be told apart: "+why)
		if err != nil || alone && p.Missing == "" {
			p.Miscounted = why
			return true, err
		}
	}
	p.Proof = whole
	p.Missing = why + ", and neither the exit codes nor the new tests alone tell the change from " +
		p.BaseName
	p.Why = p.Missing
	return true, nil
}

// miscountedLine says that the counts took no part in the proof.
func (p Proof) miscountedLine() string {
	if p.Miscounted == "" || p.Missing != "" {
		return ""
	}
	return "The counts took no part in this: " + p.Miscounted
}
