package pullrequests

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/failpoint"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/merges"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
)

// follow polls the state of an open pull request, its checks and its comments, and records the news. It
// returns the time until the next poll.
func (f *Follower) follow(
	ctx context.Context, row pullrequest.Row, at repository.PullRequests,
) (time.Duration, error) {
	p, err := at.Host.Look(ctx, row.Number)
	if err != nil {
		return 0, err
	}
	if p.Base != "" && p.Base != row.Base && p.State != host.Closed {
		if row, err = f.retarget(ctx, row, p.Base); err != nil {
			return 0, err
		}
	}
	others, err := f.together(ctx, row)
	if err != nil {
		return 0, err
	}
	if p.State == host.Open && row.Worded != others.wording(row.Head) {
		if row, err = f.reword(ctx, row, others, p.Body, at.Host); err != nil {
			return 0, err
		}
	}
	if p.State == host.Open {
		if err := f.putPapers(ctx, row, at.Host); err != nil {
			return 0, err
		}
	}
	after := row
	parts, err := f.remarks(ctx, &after, at)
	if err == nil && p.State == host.Open && p.Head == row.Head && !row.Proof {
		// the head that somebody else pushed is not Bobbin's to check
		var said []store.Part
		said, err = f.checks(ctx, &after, at.Host)
		parts = append(parts, said...)
	}
	var refused *remote.Error
	permanent := errors.As(err, &refused) && !refused.Retry
	if permanent && row.Reason != refused.Reason {
		after.Reason = refused.Reason
		parts = append(parts, f.line(fmt.Sprintf("I cannot follow all of %s: %s. %s.", f.name(row),
			refused.Reason, refused.Cure)))
		err = nil
	}
	if p.State == host.Open && p.Head == row.Head {
		if failed := f.lookForConflicts(ctx, row, p.Merges); failed != nil {
			return 0, failed
		}
	}
	if p.State != host.Open && len(parts) < maxRemarks && (err == nil || permanent) {
		// the last comments come first
		return f.end(ctx, row, after, p, parts)
	}
	if len(parts) > 0 {
		failpoint.Crash("pull_request_heard")
		if err := f.Rows.Change(ctx, row, after, parts...); err != nil {
			return 0, err
		}
		after.NewsAt = time.Now()
	}
	return f.pause(after), err
}

// retarget records that the pull request goes into another branch than before, and tells the thread: what the
// session works on stays. It returns the changed row.
func (f *Follower) retarget(
	ctx context.Context, row pullrequest.Row, base string,
) (pullrequest.Row, error) {
	after := row
	after.Base = base
	said := fmt.Sprintf("%s goes into %s now, as the host says, and not into %s any more. I look for "+
		"conflicts there. ", f.name(row), plaintext.CodeSpan(plaintext.SafeLine(base, 120)),
		plaintext.CodeSpan(row.Base))
	back, err := f.isWorkBase(ctx, after)
	switch {
	case err != nil:
		return row, err
	case row.Aside:
		said = strings.TrimSpace(said)
	case back:
		said += "That is the branch that it was made for."
	default:
		said += fmt.Sprintf("It was made and proven on top of %s, so I merge neither into it.",
			plaintext.CodeSpan(row.Base))
	}
	failpoint.Crash("pull_request_retargeted")
	moved := merges.Retargeted{Repository: row.Repository, Branch: row.Branch, Base: base}
	return after, f.Rows.Change(ctx, row, after, moved, f.line(said))
}

// isWorkBase reports whether a pull request goes into the branch that its session works on top of.
func (f *Follower) isWorkBase(ctx context.Context, row pullrequest.Row) (bool, error) {
	s, err := f.Rows.Store.Session(ctx, row.Session)
	if err != nil {
		return false, err
	}
	base := s.BaseBranch
	r := f.repositoryOf(row.Repository)
	if base == "" && r != nil {
		base = r.Base
	}
	if base == "" && r != nil && f.Mirrors != nil {
		mirror, err := f.Mirrors.Open(ctx, r.Remote)
		if err != nil {
			return false, err
		}
		base = mirror.Commits().DefaultBranch()
	}
	return base == "" || base == row.Base, nil
}

// end records that a pull request was merged or closed, with the parts that come before.
func (f *Follower) end(
	ctx context.Context, row, after pullrequest.Row, p host.PullRequest, parts []store.Part,
) (time.Duration, error) {
	after.State = string(p.State)
	line := f.line(f.name(row) + " was closed without being merged. The branch stands.")
	if p.State == host.Merged {
		var err error
		if line, err = f.mergedLine(ctx, row); err != nil {
			return 0, err
		}
		after.Checked = strings.TrimSpace("merged " + p.Merged)
	}
	return f.pause(after), f.Rows.Change(ctx, row, after, append(parts, line)...)
}

// watchClosed follows a closed pull request again if somebody reopens it, as some do to run its checks once
// more. It returns zero when the time for watching is over.
func (f *Follower) watchClosed(
	ctx context.Context, row pullrequest.Row, at host.Host,
) (time.Duration, error) {
	if time.Since(row.NewsAt) > watched {
		return 0, nil
	}
	p, err := at.Look(ctx, row.Number)
	if err != nil || p.State == host.Closed {
		return f.pause(row), err
	}
	after := row
	after.State = pullrequest.Open // a merge is told by the next look
	return f.pause(after), f.Rows.Change(ctx, row, after, f.line(f.name(row)+" was reopened."))
}

// mergedLine returns the line about a merge. It asks the requester whether it works, except after the
// merge of a backport.
func (f *Follower) mergedLine(ctx context.Context, row pullrequest.Row) (store.Part, error) {
	merged := fmt.Sprintf("%s was merged into %s.", f.name(row), row.Base)
	if row.Aside {
		return f.line(merged), nil
	}
	s, err := f.Rows.Store.Session(ctx, row.Session)
	if err != nil {
		return nil, err
	}
	who := ""
	if f.NameOf != nil {
		who = f.NameOf(ctx, s.Requester)
	}
	asked := "Does it work now?"
	if who != "" {
		asked = plaintext.OneLine(who) + ", does it work now?"
	}
	return f.line(merged+" "+asked,
		workflow.Button{ActionID: workflow.ButtonWorks, Label: "It works", Value: store.NewToken()},
		workflow.Button{ActionID: workflow.ButtonBroken, Label: "Still broken", Value: store.NewToken()}), nil
}

// watched is how long a merged pull request is watched for a revert, and a closed one for being reopened.
const watched = 14 * 24 * time.Hour

// reverts matches how hosts and git say which commit or pull request a commit reverts.
var reverts = regexp.MustCompile(
	`(?i)\breverts (?:commit ([0-9a-f]{7,40})|(?:merge request )?\S*[#!](\d+))\b`)

// watchReverts posts a line when the merged change is reverted. It returns zero then, and when the time
// for watching is over.
func (f *Follower) watchReverts(
	ctx context.Context, row pullrequest.Row, at host.Host,
) (time.Duration, error) {
	if time.Since(row.NewsAt) > watched {
		return 0, nil
	}
	// The search begins before the merge was noticed, since the change may have been reverted at once.
	commits, err := at.Commits(ctx, row.Base, row.NewsAt.Add(-2*maxPollInterval))
	if err != nil {
		return 0, err
	}
	merged := strings.TrimPrefix(row.Checked, "merged ")
	for _, c := range commits {
		for _, m := range reverts.FindAllStringSubmatch(c.Message, -1) {
			ours := m[1] != "" && (strings.HasPrefix(merged, m[1]) || strings.HasPrefix(row.Head, m[1])) ||
				m[2] == fmt.Sprint(row.Number)
			if !ours {
				continue
			}
			after := row
			after.State = pullrequest.Reverted
			return 0, f.Rows.Change(
				ctx, row, after,
				f.line(fmt.Sprintf(
					"%s was taken back in %s by %s: %s. Reply here to take it up again.", f.name(row),
					row.Base, c.Hash[:min(len(c.Hash), 7)],
					plaintext.QuoteLine(plaintext.CutLine(plaintext.OneLine(c.Message), 100)),
				)),
			)
		}
	}
	return f.pause(row), nil
}

// maxRemarks is how many comments one poll takes; the others come with the next one.
const maxRemarks = 10

// maxDrafted is how long a comment may have been a draft. Hosts list a review when it is submitted, but some
// give the times at which its comments were written.
const maxDrafted = 30 * 24 * time.Hour

// remarks returns the comments of people on the pull request that were not taken in yet, and moves
// row.CommentsUntil forward. What was taken in is known by its id: many comments may have the same time, and
// a comment may be older than one that was listed before it.
func (f *Follower) remarks(
	ctx context.Context, row *pullrequest.Row, at repository.PullRequests,
) (parts []store.Part, err error) {
	taken, err := f.Rows.Remarks(ctx, row.Session)
	if err != nil {
		return nil, err
	}
	all, err := at.Host.Comments(ctx, row.Number)
	since := row.CommentsUntil.Add(-maxDrafted)
	for _, c := range all {
		if c.Bot || c.At.Before(since) || len(parts) == maxRemarks {
			continue
		}
		place := ""
		if c.Path != "" {
			place = fmt.Sprintf("%s:%d", c.Path, c.Line)
		}
		m := pullrequest.Remark{
			ID:    fmt.Sprintf("%d:%s", row.Number, c.ID),
			Login: plaintext.CutLine(plaintext.OneLine(c.Login), 60),
			User:  at.People[strings.ToLower(c.Login)],
			Place: plaintext.CutLine(plaintext.OneLine(place), 200),
			Text:  plaintext.CutLine(f.Secrets.Mask(c.Text), maxRemark),
		}
		if !taken.Add(m) {
			continue
		}
		parts = append(parts, m)
		if c.At.After(row.CommentsUntil) {
			row.CommentsUntil = c.At
		}
	}
	return parts, err
}

// maxRemark is how many characters of a comment are stored.
const maxRemark = 4000

// The states of a commit's checks that the thread was told of. red is followed by the names of the failed
// checks, part by those that have not ended, and held by those that wait for a person.
const (
	green = "green"
	red   = "red"
	part  = "part"
	held  = "held"
)

// patience is how long a pending check may hold back the results of the others.
const patience = time.Hour

// checks returns the line about a commit's checks when all have ended, or patience is over: once when they
// are green, and once for each set of failed checks, or of those that have not ended.
func (f *Follower) checks(ctx context.Context, row *pullrequest.Row, at host.Host) ([]store.Part, error) {
	all, err := at.Checks(ctx, row.Head)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	if line := f.heldLine(row, all); line != "" {
		return []store.Part{f.line(line)}, nil
	}
	var failed []host.Check
	var names, pending []string
	for _, c := range all {
		name := plaintext.CutLine(plaintext.OneLine(c.Name), 80)
		switch {
		case unended(c) && time.Since(row.NewsAt) < patience:
			return nil, nil
		case unended(c):
			pending = append(pending, name)
		case c.State == host.Failed:
			failed = append(failed, c)
			names = append(names, name)
		}
	}
	slices.Sort(names)
	slices.Sort(pending)
	passed := plaintext.CountNoun(len(all)-len(failed)-len(pending), "check") + " passed at the host"
	state := green
	text := fmt.Sprintf("%s is green: %s.", f.name(*row), passed)
	switch {
	case len(failed) > 0:
		state = red + " " + strings.Join(names, ", ")
	case len(pending) == len(all):
		return nil, nil
	case len(pending) > 0:
		state = part + " " + strings.Join(pending, ", ")
		text = fmt.Sprintf("%s: %s; not ended after an hour: %s.", f.name(*row), passed,
			strings.Join(pending, ", "))
	}
	if state == row.Checked {
		return nil, nil
	}
	was := row.Checked
	if strings.HasPrefix(was, held) {
		was = "" // that line has no button to replace
	}
	row.Checked = state
	row.Failure = ""
	if len(failed) == 0 {
		l := workflow.Line{Agent: f.Agent, Text: f.Secrets.Mask(text), Vouched: []int{0}}
		if was != "" && !row.Aside { // it replaces the line that was red
			return []store.Part{
				store.Reworded{ActionID: workflow.ButtonFixThere, Label: fixLabel, Line: l},
			}, nil
		}
		return []store.Part{store.Lines{l}}, nil
	}
	failed, ofMessages := splitByMessage(failed)
	tests := f.readFailures(ctx, row, at, failed)
	text = fmt.Sprintf("%s is red at the host: %s.", f.name(*row), strings.Join(names, ", "))
	text += onlyMessages(ofMessages)
	if len(tests) > 0 {
		text += " Failing: " + strings.Join(tests[:min(len(tests), maxTests)], ", ") + "."
	}
	fix := []workflow.Button{{
		ActionID: workflow.ButtonFixThere, Label: fixLabel, Value: store.NewToken(), Means: row.Head,
	}}
	if len(failed) == 0 {
		fix = nil
	} else if row.Aside {
		fix = nil
		text = text + " " + workflow.FixBackport(row.Base)
	} else {
		text += " \"Fix it there\" keeps to the files of what was pushed."
	}
	l := workflow.Line{
		Agent: f.Agent, Text: f.Secrets.Mask(text), Vouched: []int{0},
		Buttons: append(fix, workflow.Button{
			ActionID: workflow.ButtonDetails, Label: "Details", Value: store.NewToken(), Means: row.Failure,
		}),
	}
	if row.Aside {
		return []store.Part{store.Lines{l}}, nil
	}
	if was != "" {
		return []store.Part{store.Reworded{ActionID: workflow.ButtonFixThere, Label: fixLabel, Line: l}}, nil
	}
	return []store.Part{store.Lines{l}}, nil
}

// unended reports whether a check has no result yet.
func unended(c host.Check) bool { return c.State == host.Pending || c.State == host.Held }

// heldLine returns what the thread is told of checks that wait until somebody presses a button at the host,
// and notes in the row that it was told. It returns an empty string if there are none, or if it was told.
func (f *Follower) heldLine(row *pullrequest.Row, all []host.Check) string {
	waiting := heldChecks(all)
	state := held + " " + strings.Join(waiting, ", ")
	known := row.Checked != "" && !strings.HasPrefix(row.Checked, held) // how the checks ended
	if len(waiting) == 0 || known || row.Checked == state {
		return ""
	}
	row.Checked = state
	return heldText(f.name(*row), f.words(*row), waiting, all)
}

// heldChecks returns the names of the checks that wait for a person, in order.
func heldChecks(all []host.Check) (waiting []string) {
	for _, c := range all {
		if name := plaintext.SafeLine(c.Name, 80); c.State == host.Held && !slices.Contains(waiting, name) {
			waiting = append(waiting, name)
		}
	}
	slices.Sort(waiting)
	return waiting
}

// signOffCheck matches the names of checks that look for a Signed-off-by in each commit's message.
var signOffCheck = regexp.MustCompile(
	`(?i)^(?:DCO|dco[ -/]?check|probot/dco|developer certificate of origin)$`)

// splitByMessage separates the checks that only another message of the commits could satisfy. No work on the
// code does, and a commit that was pushed keeps its message.
func splitByMessage(failed []host.Check) (rest, ofMessages []host.Check) {
	for _, c := range failed {
		if signOffCheck.MatchString(plaintext.OneLine(c.Name)) {
			ofMessages = append(ofMessages, c)
		} else {
			rest = append(rest, c)
		}
	}
	return rest, ofMessages
}

// onlyMessages says what has to be done about checks that only another message could satisfy.
func onlyMessages(checks []host.Check) string {
	if len(checks) == 0 {
		return ""
	}
	name := plaintext.CutLine(plaintext.OneLine(checks[0].Name), 80)
	return fmt.Sprintf(" %s wants a Signed-off-by in the commits' messages, and I never change a commit "+
		"that I pushed: no fix of mine can satisfy it. My operator can set `commits: {signoff: true}` for "+
		"later pushes; for these, sign them off at the host or merge without that check.", name)
}

const (
	fixLabel = "Fix it there"
	maxTests = 5
	maxLogs  = 3    // logs whose end is read
	maxEnd   = 3000 // characters of each log
)

// readFailures stores the ends of the failed checks' logs in the row, and returns the names of the
// failed tests in them. Both are masked like what a turn says of the commit; without
// its secrets no log is read.
func (f *Follower) readFailures(
	ctx context.Context, row *pullrequest.Row, at host.Host, failed []host.Check,
) (tests []string) {
	secrets, unknown := f.secretsOf(ctx, *row)
	if unknown != nil {
		f.Log.Warn("no log of a check is read: the secrets of the commit are not known",
			"repository", row.Repository, "commit", row.Head, "err", unknown)
		secrets = f.Secrets
	}
	var b strings.Builder
	for _, c := range failed[:min(len(failed), maxLogs)] {
		fmt.Fprintf(&b, "%s: %s\n", plaintext.OneLine(c.Name),
			plaintext.CutLine(plaintext.OneLine(c.Summary), 200))
		if unknown != nil {
			continue
		}
		log, err := at.Log(ctx, c)
		if err != nil {
			f.Log.Warn("a check's log cannot be read", "check", c.Name, "err", err)
			fmt.Fprintf(&b, "(its log could not be read)\n")
			continue
		}
		log = plainLog(log)
		for _, t := range failingTests(log) {
			if t = secrets.Mask(t); !slices.Contains(tests, t) {
				tests = append(tests, t)
			}
		}
		if len(log) > maxEnd {
			log = "…" + strings.ToValidUTF8(log[len(log)-maxEnd:], "")
		}
		b.WriteString(log + "\n")
	}
	row.Failure = secrets.Mask(strings.TrimSpace(b.String()))
	return tests
}

// secretsOf returns the secrets that are masked in the logs of the row's checks.
func (f *Follower) secretsOf(ctx context.Context, row pullrequest.Row) (*redact.Finder, error) {
	for _, r := range f.Repositories {
		if r.Name == row.Repository && f.SecretsOf != nil {
			return f.SecretsOf(ctx, r.Remote, row.Head)
		}
	}
	return f.Secrets, nil
}

var (
	// logPrefix matches what hosts put before each line: a time, and GitLab's mark of a section.
	logPrefix = regexp.MustCompile(
		`(?m)^\d{4}-\d\d-\d\dT[\d:.]+Z (?:\d\d[OE][ +]?)?|section_(?:start|end):\d+:\S*\r?`)
	colours = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")
	// failing matches how test runners name a failed test: Go, pytest, TAP, Jest and similar ones,
	// cargo.
	failing = regexp.MustCompile(`(?m)^\s*(?:--- FAIL: (\S+)|FAILED (\S+)|not ok \d+ -? ?(.{1,120})|[✕✗×] ` +
		`(.{1,120}?)(?: \(\d+ ?ms\))?|test (\S+) \.\.\. FAILED)\s*(?:\(|$| -)`)
)

func plainLog(log string) string {
	return plaintext.EscapeText(strings.ReplaceAll(logPrefix.ReplaceAllString(colours.ReplaceAllString(log,
		""), ""), "\r", ""))
}

// failingTests returns the names of the tests that a log reports as failed.
func failingTests(log string) (names []string) {
	for _, m := range failing.FindAllStringSubmatch(log, -1) {
		if name := plaintext.CutLine(plaintext.OneLine(strings.Join(m[1:], "")),
			120); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
