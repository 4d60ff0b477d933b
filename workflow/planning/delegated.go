package planning

import (
	"encoding/json"
	"slices"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// PlansOf returns the plans among the reports of a session, by their revisions.
func PlansOf(reports []workflow.Report) map[int]Plan {
	plans := map[int]Plan{}
	for _, r := range reports {
		var p Plan
		if r.Kind == workflow.ReportPlan && json.Unmarshal(r.Body, &p) == nil {
			plans[r.Revision] = p
		}
	}
	return plans
}

// Delegated returns the tasks of a session that were delegated for the plan of a revision, with their numbers
// in it: those of the revision itself, and those of another revision whose planned task the plan repeats word
// for word. So what was done stays done when people have another task of the plan changed. pushed holds the
// revisions whose changes were pushed: what was done for one of them, or before, is no part of later work, even
// if that repeats its words.
func Delegated(plans map[int]Plan, pushed []int, revision int, tasks []workflow.Task) (mine []workflow.Task) {
	for _, k := range tasks {
		other := plans[k.Revision]
		if k.Plan < 1 || k.Plan > len(other.Tasks) || slices.ContainsFunc(pushed, func(p int) bool { return k.Revision <= p && p < revision }) {
			continue
		}
		if k.Revision != revision {
			k.Plan = 1 + slices.IndexFunc(plans[revision].Tasks, other.Tasks[k.Plan-1].isRepeatedBy)
		}
		if k.Plan > 0 {
			mine = append(mine, k)
		}
	}
	return mine
}

func (t Task) isRepeatedBy(later Task) bool {
	return plaintext.OneLine(t.Description) == plaintext.OneLine(later.Description) &&
		plaintext.OneLine(t.Acceptance) == plaintext.OneLine(later.Acceptance) && plaintext.OneLine(t.Check) == plaintext.OneLine(later.Check)
}
