package orchestrator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
	"github.com/bobbinhq/bobbin/workflow/turn/worktree"
)

// everyWord is the rest of what a diagnosis says, for its places to be looked up.
func everyWord(d workflow.Diagnosis) string {
	said := slices.Clone(d.AffectedScope)
	for _, h := range d.Hypotheses {
		said = append(said, h.Claim, h.Probe)
	}
	return strings.Join(said, "\n")
}

// notPrinted are those of the places that no command of the session printed either: a test
// that was written to look, and is gone, is still a place in what it printed. What people
// attached is a place by its own name.
func (o *Orchestrator) notPrinted(ctx context.Context, places []string) ([]string, error) {
	if len(places) == 0 {
		return nil, nil
	}
	commands, err := o.Store.Commands(ctx, o.Session().ID)
	if err != nil {
		return nil, err
	}
	files, err := o.Store.Attachments(ctx, o.Session().ID)
	return slices.DeleteFunc(places, func(place string) bool {
		name, _, _ := strings.Cut(place, ":")
		return slices.ContainsFunc(files, func(a workflow.Attachment) bool {
			return a.State == workflow.AttachmentRead && a.Name == name
		}) || slices.ContainsFunc(commands, func(c store.Command) bool { return strings.Contains(c.Output, place) })
	}), err
}

// newestRun is the newest run of that command in the session; nil where there was none.
func (o *Orchestrator) newestRun(ctx context.Context, command string) (*store.Command, error) {
	commands, err := o.Store.Commands(ctx, o.Session().ID)
	for _, c := range slices.Backward(commands) {
		if plaintext.OneLine(c.Command) == plaintext.OneLine(command) {
			return &c, err
		}
	}
	return nil, err
}

// reproductionText says in words how a reproduction ended when the program ran it; empty where
// nothing showed the bug.
func (o *Orchestrator) reproductionText(ctx context.Context, reproduction string) (string, error) {
	if reproduction == "" {
		return "", nil
	}
	c, err := o.newestRun(ctx, reproduction)
	if err != nil || c == nil {
		return "", err
	}
	how := fmt.Sprintf("`%s` ", plaintext.OneLine(reproduction))
	switch c.ExitCode {
	case 0:
		return how + "(it ends without a failure; look at what it prints)", nil
	case -1:
		return how + "(it was stopped)", nil
	}
	return how + fmt.Sprintf("(fails with exit code %d)", c.ExitCode), nil
}

// evidenceText lists claims, what was observed first.
func evidenceText(list []workflow.Evidence) string {
	var b strings.Builder
	for _, grade := range []string{"observed", "inferred"} {
		for _, e := range list {
			if e.Grade != grade {
				continue
			}
			fmt.Fprintf(&b, "• %s: %s", grade, e.Claim)
			if e.Source != "" {
				fmt.Fprintf(&b, " (`%s`)", plaintext.OneLine(e.Source))
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func shownText(shown string) string {
	if shown == "" {
		return "Unproven: nothing was made to fail yet.\n"
	}
	return "Shown by: " + shown + "\n"
}

// outcomes are a hypothesis's outcome in words.
var outcomes = map[string]string{"confirmed": "confirmed", "ruled_out": "ruled out", "open": "still open"}

// DiagnosisText is the Diagnosis Report as the thread sees it: the report in its own
// shape, then what stands behind it.
func DiagnosisText(d workflow.Diagnosis, revision int, commit, shown string) string {
	var b strings.Builder
	b.WriteString(d.Text() + "\nHypotheses:\n")
	for i, h := range d.Hypotheses {
		fmt.Fprintf(&b, "%d. %s: %s (`%s`)\n", i+1, plaintext.OneLine(h.Claim), outcomes[h.Outcome], plaintext.OneLine(h.Probe))
	}
	b.WriteString(evidenceText(d.Evidence) + shownText(shown))
	fmt.Fprintf(&b, "Revision %d, at %s. No code was changed. Reply \"fix it\" to have it mended, or say what is wrong here.", revision, commit)
	return b.String()
}

// ReportText is the report as the thread sees it.
func ReportText(c agent.RootCause, revision int, commit, shown string) string {
	return fmt.Sprintf("Root cause (revision %d, at %s): %s\n%s\n%s%sConfidence: %s. No code was changed. Reply \"fix it\" to have it mended, or say what is wrong here.",
		revision, commit, c.Summary, c.Cause, evidenceText(c.Evidence), shownText(shown), c.Confidence)
}

// missingPlaces are the file:line in words of a report that the tree does not have.
func (o *Orchestrator) missingPlaces(text string) []string {
	var missing []string
	seen := map[string]bool{}
	for _, m := range worktree.PlaceMark.FindAllStringSubmatch(text, -1) {
		if !seen[m[0]] && !o.hasLine(m[1], m[2]) {
			missing = append(missing, m[0])
		}
		seen[m[0]] = true
	}
	return missing
}

// hasLine looks in the tree that the orchestrator looks at.
func (o *Orchestrator) hasLine(path, line string) bool {
	n, err := strconv.Atoi(line)
	if err != nil {
		return false
	}
	b, err := prompt.ReadSome(o.Trees.Current().Copy.FS(), path, worktree.MaxEvidence)
	if errors.Is(err, fs.ErrNotExist) {
		// A name without its folder (receipt.go:12) counts where exactly that name exists.
		return !strings.Contains(path, "/") && o.hasFileName(path)
	}
	return err == nil && n >= 1 && n <= bytes.Count(b, []byte{'\n'})+1
}

func (o *Orchestrator) hasFileName(name string) bool {
	found := false
	fs.WalkDir(o.Trees.Current().Copy.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() == name {
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found
}
