package delivery

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent/decision"
	"github.com/bobbinhq/bobbin/workflow/permit"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/planning"
)

// unfinishedWork returns which task of the plan is not verified, or which done criterion finish says
// nothing about. It returns an empty string if the work is complete.
func (d *Delivery) unfinishedWork(ctx context.Context, a *permit.Approval, criteria []string, f decision.Finish) (string, error) {
	plan, err := d.ApprovedPlan(ctx, a)
	if err != nil {
		return "", err
	}
	tasks, err := d.DelegatedTasks(ctx, a.Revision)
	if err != nil {
		return "", err
	}
	for n := range plan.Tasks {
		if !slices.ContainsFunc(tasks, func(k workflow.Task) bool {
			return k.Plan == n+1 && (k.State == workflow.TaskDone || k.State == workflow.TaskBlocked && d.Trees.Current().Unprovable() != "")
		}) {
			return fmt.Sprintf("task %d of the plan is not verified. Delegate it, or propose a plan without it.", n+1), nil
		}
	}
	if len(f.Criteria) != len(criteria) {
		return fmt.Sprintf("give each done criterion of the request, in its order, with what shows it; there are %d:\n%s", len(criteria), strings.Join(criteria, "\n")), nil
	}
	for i, c := range f.Criteria {
		if strings.TrimSpace(c.How) == "" {
			return fmt.Sprintf("done criterion %d has no word on what shows it, or why it is not met.", i+1), nil
		}
	}
	return "", nil
}

// doneCriteria returns the done criteria of the newest request up to that revision. Only a feature has
// any.
func (d *Delivery) doneCriteria(ctx context.Context, revision int) ([]string, error) {
	s := d.Session()
	if s.Kind != workflow.KindFeature {
		return nil, nil
	}
	for n := revision; n > 0; n-- {
		r, err := d.Store.Report(ctx, s.ID, n)
		if err != nil {
			return nil, fmt.Errorf("read revision %d: %w", n, err)
		}
		var request planning.Request
		if r.Kind == workflow.ReportRequest && json.Unmarshal(r.Body, &request) == nil {
			return request.DoneCriteria, nil
		}
	}
	return nil, nil
}

// followAmendments checks that finish takes into account what people said since the approval. amended
// reports whether they said anything. If so, finish has to say what changed, and no criterion may name
// code that is in none of the files; stale is what is wrong, or empty. A bug has no criteria that a
// correction could make wrong, so nothing is checked.
func (d *Delivery) followAmendments(ctx context.Context, a *permit.Approval, criteria []string, f decision.Finish) (amended bool, stale string, err error) {
	said, err := d.AmendmentText(ctx, a.Revision)
	if err != nil || said == "" {
		return false, "", err
	}
	if len(criteria) == 0 {
		return true, "", nil
	}
	const now = "For a done criterion that became something else give what it is now, as now."
	if plaintext.OneLine(f.Changed) == "" {
		return true, fmt.Sprintf("say in one line, as changed, what is different now from what revision %d says, or why nothing is. %s\n%s", a.Revision, now, said), nil
	}
	for i, c := range criteria {
		if plaintext.OneLine(f.Criteria[i].Now) != "" || !f.Criteria[i].Met {
			continue
		}
		gone, err := missingNames(d.Trees.Current().Work.FS(), codeName.FindAllString(c, -1))
		if err != nil {
			return true, "", err
		}
		if len(gone) > 0 {
			return true, fmt.Sprintf("done criterion %d names %s, which is nowhere in the files. %s\n%s", i+1, strings.Join(gone, ", "), now, said), nil
		}
	}
	return true, "", nil
}

// codeName matches words that can only be names in code: with a capital letter or an underscore inside.
var codeName = regexp.MustCompile(`\b[A-Za-z]\w*(?:[a-z0-9][A-Z]|_[A-Za-z])\w*\b`)

// maxNameFile is the size in bytes up to which a file is searched for a name.
const maxNameFile = 1 << 20

// missingNames returns the names that are in no file of the work.
func missingNames(work fs.FS, names []string) ([]string, error) {
	err := fs.WalkDir(work, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case len(names) == 0:
			return fs.SkipAll
		case err != nil || !entry.Type().IsRegular():
			return err
		}
		if info, err := entry.Info(); err != nil || info.Size() > maxNameFile {
			return err
		}
		text, err := fs.ReadFile(work, path)
		names = slices.DeleteFunc(names, func(name string) bool { return strings.Contains(string(text), name) })
		return err
	})
	return names, err
}
