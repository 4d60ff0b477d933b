package lookback

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/proof/past"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/judge/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// tell returns the line with what no earlier look back of the session told the thread. If the
// configuration wants it, the line mentions the author of the bug, at most once in a session.
func (l *look) tell(ctx context.Context, found workflow.LookbackFound) (line workflow.Line, err error) {
	before, err := l.Store.LookbacksDone(ctx, l.row.Session)
	if err != nil {
		return line, err
	}
	since := found.Since
	where := whereElse(found.Releases)
	named := false
	own := l.ownText(found.Own)
	buttons := l.backportButtons(found)
	if l.probe.Passes {
		where, buttons = l.redElsewhere(found.Releases)
	}
	for _, b := range before {
		named = named || b.Found.First != ""
		if b.Repository == l.row.Repository && saysSameSince(b.Found.Since, since) {
			since = ""
		}
		if b.Repository == l.row.Repository && whereElse(b.Found.Releases) == where && len(buttons) == 0 {
			where = ""
		}
	}
	if since == "" {
		where = strings.Replace(where, "Green on ", l.subject()+" green on ", 1)
	}
	var text workflow.Text
	text.Vouch(l.hide.Mask(strings.TrimSpace(since + "\n" + strings.TrimSpace(where+"\n"+own))))
	line = workflow.Line{Agent: l.Signature, Text: text.String(), Vouched: text.Vouched(), Buttons: buttons}
	if since != "" && !named {
		line.Mentions = l.author(ctx, found.First)
	}
	return line, nil
}

// byReproduction is how a sentence says that the report's command was run, and not the new tests.
const byReproduction = ", by the reproduction"

// saysSameSince reports whether two sentences say the same commits, however they were found.
func saysSameSince(a, b string) bool {
	without := func(s string) string { return strings.Replace(s, byReproduction, "", 1) }
	return without(a) == without(b)
}

// subject begins a sentence about what is run, where nothing was said of it before.
func (l *look) subject() string {
	if l.probe.Command != "" {
		return "The command of the report is"
	}
	return "The new tests are"
}

// redElsewhere returns the words about the releases on which a command fails that passes on the base, with
// buttons that begin again there. It returns nothing if it fails on none.
func (l *look) redElsewhere(releases []workflow.ReleaseVerdict) (text string, buttons []workflow.Button) {
	var red, green []string
	for _, r := range releases {
		switch past.Answer(r.Answer) {
		case past.Green:
			green = append(green, quoted(r.Name, 60))
		case past.Red:
			red = append(red, quoted(r.Name, 60))
			if len(buttons) < maxButtons {
				buttons = append(buttons, workflow.Button{
					ActionID: workflow.ButtonOnBase,
					Label:    plaintext.CutLine("Look into "+quoted(r.Name, 60), 70),
					Value:    store.NewToken(),
					Means:    r.Name,
				})
			}
		}
	}
	if len(red) == 0 {
		return "", nil
	}
	base := cmp.Or(l.base, l.ownBase())
	green = append([]string{quoted(base, 60)}, green...)
	return fmt.Sprintf("The command of the report is red on %s, and green on %s. The fix belongs there.",
		strings.Join(red, ", "), strings.Join(green, ", ")), buttons
}

// maxButtons is how many releases get a button.
const maxButtons = 3

// backportButtons returns a button for each branch that was found to need the pushed change: the red
// releases, and the repository's own base also if the change fits there and nothing could be run. A press is
// judged like an approval. What was pushed on top of a pull request comes to other branches with that.
func (l *look) backportButtons(found workflow.LookbackFound) (buttons []workflow.Button) {
	if l.pushed == "" || l.unproven || l.ofPull {
		return nil
	}
	var names []string
	if found.Own != nil && (found.Own.Answer == workflow.OwnFits || found.Own.Answer == workflow.OwnRed) {
		names = append(names, found.Own.Name)
	}
	for _, r := range found.Releases {
		if r.Branch && r.Answer == string(past.Red) {
			names = append(names, r.Name)
		}
	}
	for _, name := range names[:min(len(names), maxButtons)] {
		label := "Backport to "
		if l.mayComeToOwn() && name == l.ownBase() {
			label = "Bring it to "
		}
		buttons = append(buttons, workflow.Button{
			ActionID: workflow.ButtonBackport,
			Label:    plaintext.CutLine(label+quoted(name, 60), 70),
			Value:    store.NewToken(),
			Means:    l.pushed + " " + name,
		})
	}
	return buttons
}

// author returns the Slack id of the author of the commit that brought the bug, or nil if the
// configuration does not want authors mentioned or the person cannot be found.
func (l *look) author(ctx context.Context, commit string) []string {
	if commit == "" || l.Slack == nil || !l.MentionAuthors[l.row.Repository] {
		return nil
	}
	c, err := l.mirror.Commits().Read(commit)
	if err != nil {
		l.Log.Warn("nobody is mentioned: the commit cannot be read", "commit", commit, "err", err)
		return nil
	}
	s, err := l.Store.Session(ctx, l.row.Session)
	if err != nil {
		l.Log.Warn("nobody is mentioned: the session cannot be read", "session", l.row.Session, "err", err)
		return nil
	}
	id, err := permission.MentionableID(ctx, l.Slack, s.Thread, c.Email)
	if err != nil {
		l.Log.Warn("nobody is mentioned: Slack does not tell who has an address (the scope users:read.email)",
			"err", err)
	}
	if id == "" {
		return nil
	}
	return []string{id}
}

// sinceText returns the sentence that says since which commit the bug exists, or between which it began.
// It is empty if nothing is known, or only that older commits have the bug, too.
func (l *look) sinceText(r past.Result) string {
	by := ""
	if l.probe.Command != "" {
		by = byReproduction
	}
	switch {
	case r.First != "" && r.Reason == past.FirstOfAll:
		return fmt.Sprintf("Red since the first commit%s: %s.", by, l.nameCommit(r.First))
	case r.First != "" && r.Certain:
		return fmt.Sprintf("Red since %s%s%s.", l.nameCommit(r.First), l.broughtBy(r), by)
	case r.First != "":
		return fmt.Sprintf("Perhaps red since %s%s: some commits were red once and green once.",
			l.boundCommit(r.First), by)
	case r.Red == "" || r.Green == "":
		return "" // that some older commit has the bug, too, helps nobody, and says nothing of who made it
	}
	return fmt.Sprintf("Red since a commit after %s, at the latest %s%s: %s.", l.boundCommit(r.Green),
		l.boundCommit(r.Red), by, l.whyNotNearer(r))
}

// boundCommit returns a commit's short hash with its date. It names nobody: such a commit need not have to do
// with the bug.
func (l *look) boundCommit(hash string) string {
	c, err := l.mirror.Commits().Read(hash)
	if err != nil {
		return "`" + prompt.ShortHash(hash) + "`"
	}
	return fmt.Sprintf("`%s` (%s)", prompt.ShortHash(hash), c.When.UTC().Format(time.DateOnly))
}

// whyNotNearer returns why the newest green and the oldest red commit are not neighbours.
func (l *look) whyNotNearer(r past.Result) string {
	switch r.Reason {
	case past.Spent:
		return fmt.Sprintf("the time for looking back was over with %s between them",
			plaintext.CountNoun(r.Between, "commit"))
	case past.Flaky:
		return "the test does not end the same each time"
	case past.Cut:
		return "the history that I have is cut off there"
	}
	if r.Between == 0 {
		return "a branch that it merges could not be told"
	}
	return fmt.Sprintf("%s between them could not be told%s",
		plaintext.CountNoun(r.Between, "commit"), l.commonWhy())
}

// commonWhy returns the most frequent reason why commits are unclear, in parentheses, or an empty
// string.
func (l *look) commonWhy() string {
	counts := map[string]int{}
	most := ""
	for _, t := range l.tries {
		if t.Why == "" {
			continue
		}
		counts[t.Why]++
		if n := counts[t.Why]; n > counts[most] || n == counts[most] && t.Why < most {
			most = t.Why
		}
	}
	if most == "" {
		return ""
	}
	return " (" + most + ")"
}

// nameCommit returns a commit's short hash with its date, subject, author and pull request, as the
// commit names them.
func (l *look) nameCommit(hash string) string {
	c, err := l.mirror.Commits().Read(hash)
	if err != nil {
		return "`" + prompt.ShortHash(hash) + "`"
	}
	pull := ""
	if n := c.PullRequest(); n > 0 && !strings.Contains(c.Subject, l.pull(n)) {
		pull = " (" + l.pull(n) + ")"
	}
	return fmt.Sprintf("`%s` (%s, %q) by %s%s", prompt.ShortHash(hash), c.When.UTC().Format(time.DateOnly),
		quoted(c.Subject, 80), quoted(c.Author, 60), pull)
}

// broughtBy names the pull request of the merge that brought the first red commit to the main line, or
// the merge's hash if there is none.
func (l *look) broughtBy(r past.Result) string {
	if r.Merge == "" || r.Merge == r.First {
		return ""
	}
	c, err := l.mirror.Commits().Read(r.Merge)
	if err != nil {
		return ""
	}
	if n := c.PullRequest(); n > 0 {
		return " (" + l.pull(n) + ")"
	}
	return fmt.Sprintf(", merged by `%s`", prompt.ShortHash(r.Merge))
}

// pull returns a pull request's number in the notation of the repository's host.
func (l *look) pull(number int) string {
	return fmt.Sprintf("%s%d", l.repository.Pulls.Words().Mark, number)
}

// quoted returns text from outside as one short line, with backticks, double quotes and backslashes
// replaced so that it cannot end a quote or begin code.
func quoted(words string, most int) string {
	return plaintext.SafeLine(strings.NewReplacer("`", "'", `"`, "'",
		`\`, "/").Replace(plaintext.OneLine(words)), most)
}

// Known returns what the command showed on the repository's releases in the newest finished look back
// from base, or an empty string if there was none.
func Known(done []workflow.Lookback, repository, base, command string) string {
	for _, b := range slices.Backward(done) {
		var probe past.Probe
		if b.Repository != repository || b.Base != base || json.Unmarshal(b.Probe, &probe) != nil ||
			probe.Command != command {
			continue
		}
		if where := whereElse(b.Found.Releases); where != "" {
			return strings.TrimSuffix(where, ".")
		}
	}
	return ""
}

// whereElse returns the releases by verdict in one sentence ("Also red on release/1.4; green on
// release/1.3."), or an empty string if there are none.
func whereElse(releases []workflow.ReleaseVerdict) string {
	var red, green, unclear []string
	for _, r := range releases {
		name := quoted(r.Name, 60)
		switch past.Answer(r.Answer) {
		case past.Red:
			red = append(red, name)
		case past.Green:
			green = append(green, name)
		default:
			unclear = append(unclear, fmt.Sprintf("%s (%s)", name, r.Why))
		}
	}
	var parts []string
	for _, p := range []struct {
		words string
		names []string
	}{{"also red on ", red}, {"green on ", green}, {"cannot be told on ", unclear}} {
		if len(p.names) > 0 {
			parts = append(parts, p.words+strings.Join(p.names, ", "))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	text := strings.Join(parts, "; ")
	return plaintext.Capitalize(text) + "."
}
