package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// RootCause shows a new revision of the report and waits for the thread's word. Nothing
// has been changed by then.
func (l *lead) RootCause(ctx context.Context, c agent.RootCause) (model.Result, error) {
	s := l.turn.Session()
	if _, err := s.Phase.Next(workflow.EventReport); err != nil {
		return wrong("A report cannot be given now: the session is %s. Use reply to answer, or finish the approved work.", s.Phase), nil
	}
	if len(c.Evidence) == 0 {
		return wrong("A report needs at least one piece of evidence: {claim, grade: observed|inferred, source: file:line or command}."), nil
	}
	if missing := l.turn.missingPlaces(c); len(missing) > 0 {
		return wrong("These lines are not in the tree at %s: %s (no such file, or the file is shorter). Look them up with read_file and report again.", short(s.BaseCommit), strings.Join(missing, ", ")), nil
	}
	if unread, err := l.turn.Unseen(ctx, 0); err != nil || len(unread) > 0 {
		return wrong("Somebody wrote in the thread meanwhile; you are shown it now. Take it into account and report again."), err
	}
	body, err := json.Marshal(c)
	if err != nil {
		return model.Result{}, fmt.Errorf("report: %w", err)
	}
	r := &workflow.Report{Session: s.ID, Revision: s.Revision + 1, Kind: "root_cause", Body: body, BaseCommit: s.BaseCommit}
	r.Text = reportText(c, r.Revision, short(s.BaseCommit))
	l.journal.say(r.Text, reportButtons()...)
	l.journal.put.Report = r
	l.journal.put.Alone = true
	l.journal.put.Events = append(l.journal.put.Events, workflow.EventReport)
	l.journal.put.Change = func(s *workflow.Session) { s.Kind = workflow.KindBug }
	l.journal.put.Open = no
	return model.Result{Text: fmt.Sprintf("Shown as revision %d. Wait for the thread.", r.Revision), Ends: true}, nil
}

func reportButtons() []workflow.Button {
	return []workflow.Button{
		{ActionID: "fix_it", Label: "Fix it", Style: "primary", Value: store.NewToken()},
		{ActionID: "correct", Label: "Correct…", Value: store.NewToken()},
		{ActionID: "stop", Label: "Stop", Style: "danger", Value: store.NewToken()},
	}
}

// reportText is the report as the thread sees it.
func reportText(c agent.RootCause, revision int, commit string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Root cause (revision %d, at %s): %s\n%s\n", revision, commit, c.Summary, c.Cause)
	for _, grade := range []string{"observed", "inferred"} {
		for _, e := range c.Evidence {
			if e.Grade != grade {
				continue
			}
			fmt.Fprintf(&b, "• %s: %s", grade, e.Claim)
			if e.Source != "" {
				fmt.Fprintf(&b, " (`%s`)", oneLine(e.Source))
			}
			b.WriteByte('\n')
		}
	}
	if c.Reproduction != "" {
		fmt.Fprintf(&b, "Shown by: `%s`\n", oneLine(c.Reproduction))
	} else {
		b.WriteString("Unproven: nothing was made to fail yet.\n")
	}
	fmt.Fprintf(&b, "Confidence: %s. No code was changed. Reply \"fix it\" to have it mended, or say what is wrong here.", c.Confidence)
	return b.String()
}

// placeMark matches path/to/file.ext:12 in the words of a report.
var placeMark = regexp.MustCompile(`([A-Za-z0-9_][A-Za-z0-9_./-]*\.[A-Za-z][A-Za-z0-9]*):(\d+)`)

// missingPlaces are the file:line of a report that the tree does not have.
func (t *turn) missingPlaces(c agent.RootCause) []string {
	text := c.Summary + "\n" + c.Cause
	for _, e := range c.Evidence {
		text += "\n" + e.Source
	}
	var missing []string
	seen := map[string]bool{}
	for _, m := range placeMark.FindAllStringSubmatch(text, -1) {
		if !seen[m[0]] && !t.hasLine(m[1], m[2]) {
			missing = append(missing, m[0])
		}
		seen[m[0]] = true
	}
	return missing
}

func (t *turn) hasLine(path, line string) bool {
	n, err := strconv.Atoi(line)
	if err != nil {
		return false
	}
	b, err := t.place.mirror.ReadFile(t.Session().BaseCommit, path)
	if err != nil {
		// A name without its folder (receipt.go:12) counts where exactly that name exists.
		return errors.Is(err, fs.ErrNotExist) && !strings.Contains(path, "/") && t.hasName(path)
	}
	return n >= 1 && n <= strings.Count(string(b), "\n")+1
}

func (t *turn) hasName(name string) bool {
	found := false
	fs.WalkDir(t.place.look.Root().FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() == name {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}
