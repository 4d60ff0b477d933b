package tool

import (
	"cmp"
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
	page      string // the address of the repository's page; empty: not known
	pull      Pull   // of which the base is the branch
}

// history shows commits from the base of the workspace backwards.
func (e *Env) history(ctx context.Context, in historyArgs) (string, error) {
	text, err := commitReader{e.Mirror, e.Workspace, e.Page, e.Pull}.history(ctx, in)
	return e.pathsOf(text), err
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
	if _, _, isRange := cr.splitRange(in.Commit); isRange {
		in.Since, in.Commit = in.Commit, ""
	}
	switch {
	case in.Commit != "" && cr.isPull(in.Commit):
		return cr.pullRequestItself(ctx, p)
	case in.Commit != "":
		return cr.oneCommit(ctx, in.Commit, p)
	}
	if in.Line > 0 {
		return cr.blame(ctx, cr.workspace.Base(), p, in.Line)
	}
	of, err := cr.span(ctx, in)
	if err != nil {
		return "", err
	}
	commits, err := cr.mirror.Commits().LogWithin(ctx, of.start, p, of.Window, maxCommits+1)
	if err != nil {
		return "", notThere(ctx, err)
	}
	before, err := cr.oneBefore(ctx, of, p)
	if err != nil {
		return "", err
	}
	if len(commits) == 0 {
		return of.noCommits(p) + "\n" + before, nil
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
	return s.String() + before, nil
}

// A span is the part of the history that a call asks for.
type span struct {
	git.Window
	start string // the hash of the newest commit
	until string // how start was named; empty: it is the base
}

// span returns the part of the history that a call asks for: since and until a time or a commit, or a range
// in since.
func (cr commitReader) span(ctx context.Context, in historyArgs) (of span, err error) {
	of.start = cr.workspace.Base()
	from, to, isRange := cr.splitRange(in.Since)
	if isRange {
		if in.Until != "" {
			return of, model.Mistake("since is a range already: leave until out.")
		}
		in.Since = cmp.Or(from, "HEAD")
		in.Until = to
	}
	if in.Since != "" {
		if of.Since, of.Not, err = cr.bound(ctx, "since", in.Since); err != nil {
			return of, err
		}
	}
	if in.Until == "" {
		return of, nil
	}
	at, hash, err := cr.bound(ctx, "until", in.Until)
	if hash != "" {
		of.start = hash
		of.until = in.Until
	}
	of.Until = at
	return of, err
}

// bound returns the time or the commit in an argument.
func (cr commitReader) bound(
	ctx context.Context, name, text string,
) (at time.Time, hash string, err error) {
	at, noTime := parseTime(name, text)
	if noTime == nil {
		return at, "", nil
	}
	if looksLikeTime(strings.TrimSpace(text)) {
		if hash, err := cr.mirror.Commits().Resolve(strings.TrimSpace(text)); err == nil {
			return at, hash, nil
		}
		return at, "", noTime
	}
	hash, err = cr.resolve(ctx, text)
	return at, hash, err
}

// oneBefore returns the line of the newest commit before the span: what was there when it begins. Of a span
// that begins with a commit it is that commit, which may be of another branch, and newer. It is empty if the
// span has no beginning, or nothing is before it.
func (cr commitReader) oneBefore(ctx context.Context, of span, p string) (string, error) {
	start := of.start
	label := "the one before: "
	var before git.Window
	switch {
	case of.Not != "":
		start = of.Not
		label = "left out, with all before it: "
	case !of.Since.IsZero():
		before.Until = of.Since.Add(-time.Nanosecond)
	default:
		return "", nil
	}
	found, err := cr.mirror.Commits().LogWithin(ctx, start, p, before, 1)
	if err != nil && ctx.Err() == nil {
		return "", notThere(ctx, err)
	}
	if len(found) == 0 {
		return "", nil
	}
	return label + commitLine(found[0]) + "\n", nil
}

// noCommits says that there is no commit, with the span in UTC that was looked at.
func (of span) noCommits(p string) string {
	text := "No commit"
	if p != "" {
		text += " has touched " + plaintext.QuotePath(p)
	}
	if !of.Since.IsZero() {
		text += " since " + of.Since.UTC().Format(commitTime)
	}
	if of.Not != "" {
		text += " since " + of.Not[:12]
	}
	if of.until != "" {
		text += " until " + plaintext.QuoteLine(plaintext.CutLine(of.until, 100))
	}
	if !of.Until.IsZero() {
		text += " until " + of.Until.UTC().Format(commitTime)
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
	return time.Time{}, model.Mistakef("%s is no time with a zone, and no commit. Write it as 2026-11-28 "+
		"08:00 Europe/Berlin, with the zone of the person who named it, or as 2026-11-28T07:00Z.", name)
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
	hash, err := cr.resolve(ctx, name)
	if err != nil {
		return "", err
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

// isPull reports whether a name is that of the pull request of which the base is the branch.
func (cr commitReader) isPull(name string) bool {
	name = strings.Trim(strings.TrimSpace(name), "<>`\"'")
	if cr.pull.Number == 0 {
		return false
	}
	m := numberName.FindStringSubmatch(name)
	return cr.pageAt(name).Number == cr.pull.Number ||
		m != nil && cr.isOwn(m[1]) && m[2] == fmt.Sprint(cr.pull.Number)
}

// pullRequestItself shows the commits and the diff of the pull request of which the base is the branch.
func (cr commitReader) pullRequestItself(ctx context.Context, within string) (string, error) {
	base := cr.workspace.Base()
	from, diff, err := cr.mirror.Commits().Brought(ctx, base, cr.pull.Into, within, workfile.IsPrivate)
	if err != nil {
		return "", notThere(ctx, err)
	}
	commits, err := cr.mirror.Commits().LogWithin(ctx, base, "", git.Window{Not: from}, maxCommits+1)
	if err != nil {
		return "", notThere(ctx, err)
	}
	into, _ := plaintext.EscapeLine(cr.pull.Into)
	text := fmt.Sprintf("#%d brings these commits to %s, since %s:\n", cr.pull.Number, into,
		cmp.Or(from[:min(len(from), 12)], "the beginning"))
	for _, c := range commits[:min(len(commits), maxCommits)] {
		text += commitLine(c) + "\n"
	}
	if len(commits) > maxCommits {
		text += "[older ones left out]\n"
	}
	switch {
	case diff == "" && within == "":
		diff = "It changes no file.\n"
	case diff == "":
		diff = plaintext.QuotePath(within) + " was not changed by it.\n"
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
