package tool

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/internal/patch"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

const (
	maxCommits  = 20
	diffEnd     = 12_000 // characters of each end of a diff
	historyTime = 60 * time.Second
)

type historyArgs struct {
	Path   string `json:"path,omitempty"`
	Line   int    `json:"line,omitempty"`
	Commit string `json:"commit,omitempty"`
	Since  string `json:"since,omitempty"`
	Until  string `json:"until,omitempty"`
}

// A commitReader reads the history of a workspace.
type commitReader struct {
	mirror    *git.Mirror // nil: there is no history
	workspace *git.Workspace
}

// history shows commits from the base of the workspace backwards.
func (cr commitReader) history(ctx context.Context, in historyArgs) (string, error) {
	if cr.mirror == nil {
		return "", model.Mistake("There is no history here.")
	}
	if in.Line > 0 && in.Path == "" {
		return "", model.Mistake("Which file is the line in? Give path too.")
	}
	within, cancel := context.WithTimeout(ctx, historyTime)
	defer cancel()
	text, err := cr.past(within, in)
	if err != nil && errors.Is(within.Err(), context.DeadlineExceeded) && ctx.Err() == nil {
		return "", model.Mistakef("That took longer than %.0f s and was given up: ask for one commit, "+
			"or a file instead of a folder.", historyTime.Seconds())
	}
	return text, err
}

func (cr commitReader) past(ctx context.Context, in historyArgs) (string, error) {
	p, err := workfile.CleanPath(in.Path)
	if err != nil {
		return "", err
	}
	if p == "." {
		p = ""
	}
	if in.Commit != "" {
		return cr.oneCommit(ctx, in.Commit, p)
	}
	base := cr.workspace.Base()
	if in.Line > 0 {
		return cr.blame(ctx, base, p, in.Line)
	}
	within, err := in.window()
	if err != nil {
		return "", err
	}
	commits, err := cr.mirror.Commits().LogWithin(ctx, base, p, within, maxCommits+1)
	if err != nil {
		return "", notThere(ctx, err)
	}
	if len(commits) == 0 {
		return noCommits(p, within), nil
	}
	var s strings.Builder
	for _, c := range commits[:min(len(commits), maxCommits)] {
		s.WriteString(commitLine(c) + "\n")
	}
	if ctx.Err() != nil {
		s.WriteString("[older ones were not looked for: there was no time left]\n")
	} else if len(commits) > maxCommits {
		s.WriteString(olderLeftOut[p == ""])
	}
	return s.String(), nil
}

// window returns the span of time that a call asks for.
func (in historyArgs) window() (within git.Window, err error) {
	if in.Since != "" {
		if within.Since, err = parseTime("since", in.Since); err != nil {
			return within, err
		}
	}
	if in.Until != "" {
		within.Until, err = parseTime("until", in.Until)
	}
	return within, err
}

// noCommits says that there is no commit, with the span in UTC that was looked at.
func noCommits(p string, within git.Window) string {
	text := "No commit"
	if p != "" {
		text += " has touched " + plaintext.QuotePath(p)
	}
	if !within.Since.IsZero() {
		text += " since " + within.Since.UTC().Format(commitTime)
	}
	if !within.Until.IsZero() {
		text += " until " + within.Until.UTC().Format(commitTime)
	}
	return text + "."
}

// commitTime is how the time of a commit is shown, in UTC.
const commitTime = "2006-01-02T15:04Z"

// The forms of a time: with its offset, or of a clock in a zone that stands behind it.
var (
	absoluteTimes = []string{time.RFC3339, "2006-01-02T15:04Z07:00", "2006-01-02 15:04Z07:00"}
	clockTimes    = []string{"2006-01-02 15:04", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02"}
)

// parseTime returns the time in an argument. A time without a zone is refused: it would be another one for
// each person who names it.
func parseTime(name, text string) (time.Time, error) {
	text = strings.TrimSpace(text)
	for _, form := range absoluteTimes {
		if at, err := time.Parse(form, text); err == nil {
			return at, nil
		}
	}
	if cut := strings.LastIndexByte(text, ' '); cut > 0 && text[cut+1:] != "Local" {
		if zone, err := time.LoadLocation(text[cut+1:]); err == nil {
			for _, form := range clockTimes {
				if at, err := time.ParseInLocation(form, strings.TrimSpace(text[:cut]), zone); err == nil {
					return at, nil
				}
			}
		}
	}
	return time.Time{}, model.Mistakef("%s is no time with a zone. Write it as 2026-11-28 08:00 "+
		"Europe/Berlin, with the zone of the person who named it, or as 2026-11-28T07:00Z.", name)
}

// olderLeftOut is the line after the last commit that is shown, by whether path can narrow the list.
var olderLeftOut = map[bool]string{
	true:  "[older ones left out: give path, or commit for one of them]\n",
	false: "[older ones left out: give commit for one of them]\n",
}

func (cr commitReader) blame(ctx context.Context, base, p string, line int) (string, error) {
	c, err := cr.mirror.Commits().Blame(ctx, base, p, line)
	if errors.Is(err, context.DeadlineExceeded) && c.Hash != "" {
		return fmt.Sprintf("%s:%d was not changed since\n%s\n[older commits were not looked at: there was "+
			"no time left]\n", plaintext.QuotePath(p), line, commitLine(c)), nil
	}
	if err != nil {
		return "", notThere(ctx, err)
	}
	return fmt.Sprintf("%s:%d was last changed by\n%s\n", plaintext.QuotePath(p), line, commitLine(c)), nil
}

func (cr commitReader) oneCommit(ctx context.Context, name, within string) (string, error) {
	hash, err := cr.mirror.Commits().Resolve(name)
	if err != nil {
		return "", notThere(ctx, err)
	}
	c, diff, err := cr.mirror.Commits().Show(ctx, hash, within, workfile.IsPrivate)
	if errors.Is(err, git.ErrShallow) {
		diff = "[The repository is a shallow clone whose history begins here: " +
			"what this commit changed cannot be told.]\n"
		err = nil
	}
	if err != nil {
		return "", notThere(ctx, err)
	}
	text := commitLine(c) + "\n"
	if diff == "" && within != "" {
		diff = plaintext.QuotePath(within) + " was not changed by it.\n"
	}
	if body := strings.TrimSpace(c.Body); body != "" {
		text += "\n" + plaintext.CutCounted(workfile.ShowLines(body), 4000) + "\n"
	}
	diff, _ = plaintext.CutMiddle(patch.ShowDiff(diff), diffEnd, diffEnd)
	return text + "\n" + diff, nil
}

// notThere turns a failed look into the history into the model's mistake: a commit, file or line that does
// not exist. Other faults of a mirror are found where it is made.
func notThere(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	text, _ := plaintext.EscapeLine(plaintext.CutCounted(err.Error(), 300))
	return model.Mistakef("%s. Without arguments history shows the last commits; "+
		"path has to be as it was at the base.", strings.TrimSuffix(text, "."))
}

func commitLine(c git.Commit) string {
	author, _ := plaintext.EscapeLine(plaintext.CutCounted(c.Author, 60))
	subject, _ := plaintext.EscapeLine(plaintext.CutCounted(c.Subject, 200))
	return fmt.Sprintf("%s %s %s: %s", c.Hash[:min(len(c.Hash), 12)], c.Committed.UTC().Format(commitTime),
		author, subject)
}
