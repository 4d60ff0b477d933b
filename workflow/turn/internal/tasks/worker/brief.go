package worker

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/tool"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// placeNamed matches path/to/file.ext:12 and path/to/file.ext:12-30, and also (:40), which is in the
// file named before.
var placeNamed = regexp.MustCompile(`(?:([A-Za-z0-9_][A-Za-z0-9_./-]*\.[A-Za-z][A-Za-z0-9]*)|(?:^|[\s(,` +
	"`" + `])):(\d+)(?:[-–](\d+))?\b`)

// namedLines returns the places that a text names. If there are many, only the first are shown.
func namedLines(text string) (lines []tool.Line) {
	path := ""
	for _, m := range placeNamed.FindAllStringSubmatch(text, -1) {
		if m[1] != "" {
			path = m[1]
		}
		first, err := strconv.Atoi(m[2])
		if err != nil || path == "" {
			continue
		}
		last, _ := strconv.Atoi(m[3]) // 0 if it is a single line
		lines = append(lines, tool.Line{Path: path, Number: first, Last: last})
	}
	return lines
}

// linesToFix returns the places that a task names, as its writer sees the files, then those that its report
// names, where their lines are now.
func (t *task) linesToFix(report workflow.Report) []tool.Line {
	named := namedLines(t.task.Description)
	return append(named, t.followed(namedLines(findings.ReportToFix(report)))...)
}

// maxFollowed is the size in bytes of a file whose lines are followed.
const maxFollowed = 1 << 20

// followed returns lines of the files that the report was written about with the numbers that they have in
// the task's files now.
func (t *task) followed(lines []tool.Line) []tool.Line {
	commit := cmp.Or(t.Session().Head, t.grant.BaseCommit)
	for i, l := range lines {
		before, err := t.Trees.Current().Mirror.Commits().ReadFile(commit, l.Path)
		if err != nil {
			continue // it is a new file, or its path is cut
		}
		now, err := worktree.ReadSome(t.tree.FS(), l.Path, maxFollowed)
		if err != nil || len(before) > maxFollowed || bytes.Equal(before, now) {
			continue
		}
		lines[i].Number = diff.LineAfter(before, now, l.Number)
		if l.Last > 0 {
			lines[i].Last = diff.LineAfter(before, now, l.Last)
		}
	}
	return lines
}

// writeBrief writes the worker's first message: the facts, the report, the approval, what was done
// before, the skills that the worker has to follow, and the task.
func (t *task) writeBrief(ctx context.Context, report workflow.Report, excerpts string) error {
	if err := t.Trees.Current().AwaitStart(ctx, t.Store.DB); err != nil {
		return err
	}
	parts := []string{t.Trees.RepositoryFacts(ctx)}
	if c := t.Trees.Current().Conventions(); c != "" {
		parts = append(parts, c)
	}
	parts = append(parts, prompt.ProgramMark+fmt.Sprintf(allowedBy[report.Kind],
		prompt.PersonName(t.grant.UserName))+"\n"+prompt.Fence("report", findings.ReportForWorkers(report)))
	if excerpts != "" {
		parts = append(parts, prompt.ProgramMark+"The lines that it and your task name, as they are now; "+
			"their files count as read:\n"+prompt.Fence("excerpts", excerpts))
	}
	if t.grant.Scope != "" {
		parts = append(parts, prompt.ProgramMark+"The approval is limited to this, and nothing beyond it "+
			"may change; what does is taken out:\n"+prompt.Fence("scope", t.grant.Scope))
	}
	since, err := t.amendmentText(ctx)
	if err != nil {
		return err
	}
	merged, err := t.mergeText(ctx)
	if err != nil {
		return err
	}
	for _, text := range []string{merged, since} {
		if text != "" {
			parts = append(parts, text)
		}
	}
	taken, err := t.Store.Removals(ctx, t.Session().ID)
	if err != nil {
		return err
	}
	for _, r := range taken {
		if r.Approval == t.grant.ID {
			parts = append(parts, prompt.TakenOut(r))
		}
	}
	before, err := t.doneBefore(ctx, t.task)
	if err != nil {
		return err
	}
	if before != "" {
		parts = append(parts, before)
	}
	for _, name := range taskSkills(t.task) {
		if s, ok := t.Trees.Current().Skills.Find(name); ok {
			parts = append(parts, prompt.ProgramMark+"The skill "+
				name+" is in force; the program holds you to it:\n"+prompt.Fence("skill", s.Body))
		}
	}
	more, pictures, err := t.Attachments.Describe(ctx, "Attached in the thread", nil)
	if err != nil {
		return err
	}
	if more != "" {
		parts = append(parts, more)
	}
	parts = append(parts,
		prompt.ProgramMark+"Your task:\n"+prompt.Fence("task", t.task.Description+t.planText(report)))
	t.task.State = workflow.TaskWorking
	return t.transcript.Append(ctx, agent.Entry{
		Messages: []model.Message{{Role: model.User, Text: strings.Join(parts, "\n\n"), Pictures: pictures}},
		Writes:   ledger.Writes(progress.Task{Task: t.task}),
	})
}

// amendmentText returns what people said since the approval, without the messages that the worker is
// shown next anyway.
func (t *task) amendmentText(ctx context.Context) (string, error) {
	unseen, err := t.Inbox().Unseen(ctx, t.task.ID)
	if err != nil {
		return "", err
	}
	var rows []int64
	for _, m := range unseen {
		rows = append(rows, m.ID)
	}
	return t.AmendmentText(ctx, t.grant.Revision, rows...)
}

// allowedBy holds the heading of what was approved, by the kind of report.
var allowedBy = map[string]string{
	workflow.ReportRootCause: "The report that was approved by %s:",
	workflow.ReportDiagnosis: "The diagnosis that was approved by %s:",
	workflow.ReportReview:    "The review whose findings are to be fixed, as %s approved:",
	workflow.ReportRequest:   "The request, as %s agreed to it:",
	workflow.ReportPlan:      "The plan that was approved by %s:",
}

// planText returns what the plan says about this task.
func (t *task) planText(report workflow.Report) string {
	var plan workflow.Plan
	if t.task.Plan == 0 || json.Unmarshal(report.Body, &plan) != nil || t.task.Plan > len(plan.Tasks) {
		return ""
	}
	p := plan.Tasks[t.task.Plan-1]
	return fmt.Sprintf("\nTask %d of the plan. Acceptance: %s\nThe command that shows it: %s", t.task.Plan,
		p.Acceptance, p.Check)
}

// doneBefore returns what the tasks before this one did.
func (w *Workers) doneBefore(ctx context.Context, k workflow.Task) (string, error) {
	all, err := w.Store.Tasks(ctx, w.Session().ID, "")
	if err != nil {
		return "", err
	}
	var lines []string
	for _, o := range all {
		if o.Number < k.Number && o.State == workflow.TaskDone {
			lines = append(lines, fmt.Sprintf("Task %d: %s", o.Number, plaintext.OneLine(o.Summary)))
		}
	}
	if len(lines) == 0 {
		return "", nil
	}
	done := prompt.Fence("tasks", strings.Join(lines, "\n"))
	return prompt.ProgramMark + "Done before, and in the tree already:\n" + done, nil
}
