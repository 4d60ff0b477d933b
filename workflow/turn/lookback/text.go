package lookback

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/bisect"
	"github.com/bobbinhq/bobbin/repo/retest"
	"github.com/bobbinhq/bobbin/workflow/button"
	"github.com/bobbinhq/bobbin/workflow/diagnosis"
	"github.com/bobbinhq/bobbin/workflow/outgoing"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/turn/permission"
	"github.com/bobbinhq/bobbin/workflow/turn/prompt"
)

// tell makes the line of what the thread was not told by an earlier look back, and lets it call
// whoever brought the bug, where that is wanted: once a session.
func (k *look) tell(ctx context.Context, found diagnosis.LookbackFound) (line outgoing.Line, err error) {
	before, err := k.Store.LookbacksDone(ctx, k.row.Session)
	if err != nil {
		return line, err
	}
	since, where, named, buttons := found.Since, WhereElse(found.Releases), false, k.backportButtons(found.Releases)
	for _, b := range before {
		named = named || b.Found.First != ""
		if b.Repository == k.row.Repository && b.Found.Since == since {
			since = ""
		}
		if b.Repository == k.row.Repository && WhereElse(b.Found.Releases) == where && len(buttons) == 0 {
			where = ""
		}
	}
	line = outgoing.Line{Agent: k.Signature, Text: k.Secrets.Mask(strings.TrimSpace(since + "\n" + where)), Buttons: buttons}
	if since != "" && !named {
		line.Calls = k.author(ctx, found.First)
	}
	return line, nil
}

// mostButtons is how many releases have one.
const mostButtons = 3

// backportButtons are one for each red release that has a branch, once the change that mends it was
// pushed. What a press does is judged like an approval.
func (k *look) backportButtons(releases []diagnosis.ReleaseVerdict) (buttons []outgoing.Button) {
	commit, pushed := strings.CutPrefix(k.row.Key, pushKey)
	for _, r := range releases {
		if pushed && r.Branch && r.Answer == string(bisect.Red) && len(buttons) < mostButtons {
			buttons = append(buttons, outgoing.Button{
				ActionID: button.Backport, Label: plaintext.CutLine("Backport to "+quoted(r.Name, 60), 70), Value: store.NewToken(), Means: commit + " " + r.Name,
			})
		}
	}
	return buttons
}

// author is the id of whoever made the commit that brought the bug, where such people are called.
func (k *look) author(ctx context.Context, commit string) []string {
	if commit == "" || k.Slack == nil || !k.CallAuthors[k.row.Repository] {
		return nil
	}
	c, err := k.mirror.Commits().Read(commit)
	if err != nil {
		return nil
	}
	s, err := k.Store.Session(ctx, k.row.Session)
	if err != nil {
		return nil
	}
	id, err := permission.Callable(ctx, k.Slack, s.Thread, c.Email)
	if err != nil {
		k.Log.Warn("nobody is called: Slack does not tell who has an address (the scope users:read.email)", "err", err)
	}
	if id == "" {
		return nil
	}
	return []string{id}
}

// sinceText says since when it is red; empty where there is nothing to say.
func (k *look) sinceText(r bisect.Result) string {
	by := ""
	if k.probe.Command != "" {
		by = ", by the reproduction"
	}
	switch {
	case r.First != "" && r.Reason == bisect.FirstOfAll:
		return fmt.Sprintf("Red since the first commit%s: %s.", by, k.nameCommit(r.First))
	case r.First != "" && r.Certain:
		return fmt.Sprintf("Red since %s%s%s.", k.nameCommit(r.First), k.broughtBy(r), by)
	case r.First != "":
		return fmt.Sprintf("Perhaps red since %s%s%s: some commits were red once and green once.", k.nameCommit(r.First), k.broughtBy(r), by)
	case r.Red == "" || r.Green == "" && r.Red == k.row.Base:
		return ""
	case r.Green == "":
		return fmt.Sprintf("Red at %s already%s, the oldest commit that I could tell: %s.", k.nameCommit(r.Red), by, whyNotOlder[r.Reason])
	}
	return fmt.Sprintf("Red since a commit after %s, at the latest %s%s: %s.", k.nameCommit(r.Green), k.nameCommit(r.Red), by, k.whyNotNearer(r))
}

// whyNotOlder says why no older commit than the oldest red one is known.
var whyNotOlder = map[bisect.Reason]string{
	bisect.Cut:     "the history that I have is cut off there",
	bisect.TooFar:  "I looked no further back",
	bisect.Spent:   "the time for looking back was over",
	bisect.Skipped: "older ones do not build with the test, or do not run it",
	bisect.Flaky:   "the test does not end the same each time",
}

// whyNotNearer says why the bounds are not neighbours.
func (k *look) whyNotNearer(r bisect.Result) string {
	switch r.Reason {
	case bisect.Spent:
		return fmt.Sprintf("the time for looking back was over with %s between them", plaintext.CountNoun(r.Between, "commit"))
	case bisect.Flaky:
		return "the test does not end the same each time"
	case bisect.Cut:
		return "the history that I have is cut off there"
	}
	if r.Between == 0 {
		return "a branch that it merges could not be told"
	}
	return fmt.Sprintf("%s between them could not be told%s", plaintext.CountNoun(r.Between, "commit"), k.commonWhy())
}

// commonWhy is why the most of the commits could not be told.
func (k *look) commonWhy() string {
	counts, most := map[string]int{}, ""
	for _, t := range k.tries {
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

// nameCommit is a commit with its date, subject and author: names as the commit has them.
func (k *look) nameCommit(hash string) string {
	c, err := k.mirror.Commits().Read(hash)
	if err != nil {
		return "`" + prompt.ShortHash(hash) + "`"
	}
	pull := ""
	if n := c.PullRequest(); n > 0 && !strings.Contains(c.Subject, k.pull(n)) {
		pull = " (" + k.pull(n) + ")"
	}
	return fmt.Sprintf("`%s` (%s, %q) by %s%s", prompt.ShortHash(hash), c.When.UTC().Format(time.DateOnly), quoted(c.Subject, 80), quoted(c.Author, 60), pull)
}

// broughtBy names the pull request of the merge with which a commit came.
func (k *look) broughtBy(r bisect.Result) string {
	if r.Merge == "" || r.Merge == r.First {
		return ""
	}
	c, err := k.mirror.Commits().Read(r.Merge)
	if err != nil {
		return ""
	}
	if n := c.PullRequest(); n > 0 {
		return " (" + k.pull(n) + ")"
	}
	return fmt.Sprintf(", merged by `%s`", prompt.ShortHash(r.Merge))
}

// pull is a pull request's number as people at the repository's host write it.
func (k *look) pull(number int) string {
	return fmt.Sprintf("%s%d", k.repository.Pulls.Words().Mark, number)
}

// quoted is a stranger's words in one short line, without marks that would end a quote or begin code.
func quoted(words string, most int) string {
	return plaintext.SafeLine(strings.NewReplacer("`", "'", `"`, "'", `\`, "/").Replace(plaintext.OneLine(words)), most)
}

// Known is what that command showed of the repository's releases, where the bug that it shows at
// base was looked for on them; empty where it was not.
func Known(done []diagnosis.Lookback, repository, base, command string) string {
	for _, b := range slices.Backward(done) {
		var probe retest.Probe
		if b.Repository != repository || b.Base != base || json.Unmarshal(b.Probe, &probe) != nil || probe.Command != command {
			continue
		}
		if where := WhereElse(b.Found.Releases); where != "" {
			return strings.TrimSuffix(where, ".")
		}
	}
	return ""
}

// WhereElse says what releases are: "Also red on release/1.4; green on release/1.3."; empty where
// there is none.
func WhereElse(releases []diagnosis.ReleaseVerdict) string {
	var red, green, unclear []string
	for _, r := range releases {
		name := quoted(r.Name, 60)
		switch bisect.Answer(r.Answer) {
		case bisect.Red:
			red = append(red, name)
		case bisect.Green:
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
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
