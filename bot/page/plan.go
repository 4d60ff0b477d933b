package page

import (
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A plan is a session's newest plan, with a check box for each of its tasks.
type plan struct {
	Title    string
	Revision int
	Verified int
	Tasks    []planned
}

// A planned task is ticked once a task that was delegated for it is done, which means verified.
type planned struct {
	Number int
	Ticked bool
	// state of the newest task that was delegated for it; empty: none was
	State                    workflow.TaskState
	Label, Heading           string
	Whole, Acceptance, Check string
	After                    []int
}

// planOf returns the newest plan among the reports, or nil if there is none. pushed holds the
// revisions that were pushed.
func planOf(reports []workflow.Report, pushed []int, tasks []workflow.Task, mask func(string) string) *plan {
	shows := func(text string) string { return workflow.Unmark(mask(text)) }
	plans := workflow.PlansOf(reports)
	for i := len(reports) - 1; i >= 0; i-- {
		body, ok := plans[reports[i].Revision]
		if !ok {
			continue
		}
		delegated := workflow.DelegatedTasks(plans, pushed, reports[i].Revision, tasks)
		p := &plan{Title: shows(plaintext.OneLine(body.Title)), Revision: reports[i].Revision}
		for n, t := range body.Tasks {
			shown := planned{
				Number:     n + 1,
				After:      t.After,
				Label:      workflow.Task{Category: workflow.Category(t.Category), Skill: t.Skill}.Label(),
				Heading:    shows(t.Heading()),
				Whole:      shows(strings.TrimSpace(t.Description)),
				Acceptance: shows(plaintext.OneLine(t.Acceptance)),
				Check:      mask(plaintext.OneLine(t.Check)),
			}
			for _, k := range delegated {
				if k.Plan == n+1 {
					shown.State = k.State
					shown.Ticked = shown.Ticked || k.State == workflow.TaskDone
				}
			}
			if shown.Ticked {
				p.Verified++
			}
			p.Tasks = append(p.Tasks, shown)
		}
		return p
	}
	return nil
}
