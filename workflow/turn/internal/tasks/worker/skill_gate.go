package worker

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/design"
	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/proof"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
)

// The names of the skills that the program itself enforces.
const (
	skillTDD      = "tdd"
	skillDesign   = "frontend-ui-ux"
	skillDiagnose = "diagnose"
)

// taskSkills returns the names of the skills that a task has to follow.
func taskSkills(k workflow.Task) []string {
	var names []string
	if k.Skill != "" {
		names = append(names, k.Skill)
	}
	if k.Category == workflow.CategoryVisual && k.Skill != skillDesign {
		names = append(names, skillDesign)
	}
	return names
}

// skillGate returns what the task's skill demands beyond the proof, or an empty string if the task may
// end.
func (t *task) skillGate(ctx context.Context, proof proof.Proof) (string, error) {
	checks, err := t.Store.Checks(ctx, t.task.ID)
	if err != nil {
		return "", err
	}
	switch t.task.Skill {
	case skillTDD:
		return notSeenRed(proof, checks), nil
	case skillDiagnose:
		return t.nothingSeenRed(ctx, checks)
	}
	return "", nil
}

// notSeenRed returns what the skill tdd demands: each new test has to be seen failing, in a check by the
// program, before the change that makes it pass.
func notSeenRed(proof proof.Proof, checks []progress.Check) string {
	if len(proof.NewTests) == len(proof.Guards) {
		return "The skill tdd is in force, and no test is new that fails without the change: " +
			"write one that fails, see it fail in a check, then make it pass."
	}
	var unseen []string
	// otherwise the proof names files, and a check no test
	named := proof.Base.EveryTestNamed() && proof.Branch.EveryTestNamed()
	for _, name := range proof.NewTests {
		if !slices.Contains(proof.Guards, name) && !slices.ContainsFunc(checks,
			func(c progress.Check) bool { return c.Failed(name) || !named && len(c.Red) > 0 }) {
			unseen = append(unseen, name)
		}
	}
	if len(unseen) == 0 {
		return ""
	}
	return fmt.Sprintf("The skill tdd is in force, and the program never saw %s fail before it passed. "+
		"Take the change away that makes it pass, run check, see it red, and bring the change back.",
		strings.Join(unseen, ", "))
}

// nothingSeenRed returns what the skill diagnose demands: a check or a command has to fail before
// anything is fixed.
func (t *task) nothingSeenRed(ctx context.Context, checks []progress.Check) (string, error) {
	commands, err := t.Store.Commands(ctx, t.Session().ID)
	if err != nil {
		return "", err
	}
	red := slices.ContainsFunc(checks, func(c progress.Check) bool { return len(c.Red) > 0 || !c.Built }) ||
		slices.ContainsFunc(commands,
			func(c progress.Command) bool { return c.Task == t.task.ID && c.ExitCode != 0 })
	if red {
		return "", nil
	}
	return "The skill diagnose is in force, and nothing was seen to fail: " +
		"run the command that shows the defect on the code as it was, first.", nil
}

// designFaults returns which design rules the task's change breaks, or an empty string if it breaks none
// or the rules do not apply.
func (t *task) designFaults(ctx context.Context) (string, error) {
	if !slices.Contains(taskSkills(t.task), skillDesign) {
		return "", nil
	}
	changes, err := t.tree.Changes(ctx)
	if err != nil {
		return "", err
	}
	var paths []string
	for _, c := range changes {
		if c.Kind != "deleted" {
			paths = append(paths, c.Path)
		}
	}
	before, err := t.Trees.BaseTree(ctx)
	if err != nil {
		return "", err
	}
	defer before.Close()
	findings, err := design.Check(disk.PlainFS(before), t.tree.FS(), paths)
	if err != nil || len(findings) == 0 {
		return "", err
	}
	lines := []string{"The skill frontend-ui-ux is in force, and the change breaks its rules:"}
	for _, f := range findings {
		lines = append(lines, f.String())
	}
	return strings.Join(lines, "\n"), nil
}
