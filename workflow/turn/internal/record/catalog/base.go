package catalog

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
)

// A Base is what a request says of the branch or tag that it is about.
type Base struct {
	Name string // empty: the repository's base
	Said string // what people are told of a name that does not count; empty: nothing
}

// Base returns the branch or tag of r that the newest message names which names one. Only messages count that
// full members of the workspace typed in the thread: not what an app, a guest or somebody elsewhere wrote.
func (c *Catalog) Base(ctx context.Context, r repository.Repository, commits git.Commits) (Base, error) {
	unseen, err := c.Inbox().Unseen(ctx, 0)
	if err != nil {
		return Base{}, fmt.Errorf("choose the base: %w", err)
	}
	typed := []workflow.MessageKind{workflow.MessageMention, workflow.MessageReply}
	for _, m := range slices.Backward(unseen) {
		if m.User == "" || m.App() != "" || !slices.Contains(typed, m.Kind) {
			continue
		}
		b := baseIn(withoutQuotes(m.Text), r, commits.Releases)
		if b == (Base{}) {
			continue
		}
		switch p, err := c.Slack.Person(ctx, c.Session().Thread, m.User); {
		case ctx.Err() != nil:
			return Base{}, ctx.Err()
		case err != nil:
			c.Log.Warn("a branch that a message names does not count", "err", err)
			return Base{Said: "Slack did not tell who names a branch here." + howToChoose}, nil
		case p.ExclusionReason() == "" && !p.Guest:
			return b, nil
		}
	}
	return Base{}, nil
}

// BaseNamed returns what a message says that does nothing but name a branch or tag of the session's
// repository, as the remote has them now.
func (c *Catalog) BaseNamed(ctx context.Context, name string) (Base, error) {
	r := c.Configured(c.Session().Repository)
	mirror, err := c.Mirrors.Open(ctx, r.Remote)
	if err != nil {
		return Base{}, err
	}
	if err := mirror.Fetch(ctx); err != nil {
		c.Log.Warn("a branch is looked up in what was fetched before", "err", err)
	}
	r.Base = cmp.Or(r.Base, mirror.Commits().DefaultBranch())
	return baseIn("branch: "+name, r, mirror.Commits().Releases), nil
}

// IsBaseNow reports whether the session's work starts from the branch or tag of that name.
func (c *Catalog) IsBaseNow(ctx context.Context, name string) bool {
	s := c.Session()
	if s.BaseCommit == "" || s.BaseBranch != "" {
		return s.BaseCommit != "" && name == s.BaseBranch
	}
	r := c.Configured(s.Repository)
	if r.Base == "" {
		if mirror, err := c.Mirrors.Open(ctx, r.Remote); err == nil {
			r.Base = mirror.Commits().DefaultBranch()
		}
	}
	return name == r.Base
}

const aBranch = "[`\"']?([A-Za-z0-9][A-Za-z0-9._/+-]*)"

var (
	// namesBase are the forms that name a branch or tag and nothing else: "branch: release/1.4" at the
	// beginning of a clause.
	namesBase = regexp.MustCompile(
		`(?im)(?:^|[.,;:(]\s*|\s-\s|\band\s+)(?:base\s+)?branch\s*[:=]\s*` + aBranch)
	// mayNameBase are the forms in which a branch or tag may stand, or anything else: "on release/1.4",
	// "on the branch checkout-v2", "customers on 1.4.3", "release/1.4: the total is wrong".
	mayNameBase = []*regexp.Regexp{
		regexp.MustCompile(`(?i)\b(?:base|tag)\s*[:=]\s*` + aBranch),
		regexp.MustCompile(`(?i)\b(?:the\s+|on\s+)?(?:branch|tag)\s+` + aBranch),
		regexp.MustCompile(`(?i)\bthe\s+` + aBranch + `\s+branch\b`),
		regexp.MustCompile(`(?i)\b(?:on|running|against)\s+\*?(?:version\s+|release\s+)?` + aBranch),
		regexp.MustCompile(`(?m)^\s*` + aBranch + `:\s`),
	}
	// likeBranch matches what is a branch or a version by its form.
	likeBranch = regexp.MustCompile(`^[\w.-]+(?:/[\w.+-]+)+$|^v?\d+(?:\.\d+)+|^v\d+$|\w-\w`)
	// otherwise matches clauses about what works, or is not so.
	otherwise = regexp.MustCompile(`(?i)\b(?:works?|worked|working|fine|ok|okay|good|green|pass(?:es|ed)?|` +
		`not|never|cannot|unlike|compared|already|fixed|since|until|before|without|upgrad\w*|` +
		`migrat\w*)\b|n['’]t\b`)
	clauseEnd = regexp.MustCompile(`[;!?\n]|[.,]\s|\b(?:but|and|while|whereas)\b`)
	branchURL = regexp.MustCompile(`/(?:-/)?(?:tree|commits|src/(?:branch|tag)|releases/tag|tags)/([^?#]+)`)
	isHash    = regexp.MustCompile(`^[0-9a-f]{7,64}$`)
)

// A mention is a word in a place where a branch or a tag may stand.
type mention struct {
	word    string
	sure    bool // it stands where nothing else does
	address bool // of an address, in which a path may follow
}

// baseMentions returns what a text says in places where a branch or a tag may stand: only what is sure if
// there is any.
func baseMentions(text string, r repository.Repository) (all []mention) {
	add := func(m mention) {
		m.word = strings.TrimRight(m.word, ".,;:!?/-*")
		for _, prefix := range []string{"origin/", "refs/heads/", "refs/tags/"} {
			m.word = strings.TrimPrefix(m.word, prefix)
		}
		if m.word != "" && !isHash.MatchString(m.word) {
			all = append(all, m)
		}
	}
	for _, m := range namesBase.FindAllStringSubmatch(text, -1) {
		add(mention{word: m[1], sure: true})
	}
	if len(all) > 0 {
		return all
	}
	for _, address := range webAddress.FindAllString(text, -1) {
		if m := branchURL.FindStringSubmatch(address); m != nil && ofRepository(address, r) {
			if word, err := url.PathUnescape(m[1]); err == nil {
				add(mention{word: word, address: true})
			}
		}
	}
	for _, clause := range clauseEnd.Split(webAddress.ReplaceAllString(text, " "), -1) {
		if otherwise.MatchString(clause) {
			continue
		}
		for _, form := range mayNameBase {
			for _, m := range form.FindAllStringSubmatch(clause+" ", -1) {
				add(mention{word: m[1]})
			}
		}
	}
	return all
}

// ofRepository reports whether an address is below the page of a repository.
func ofRepository(address string, r repository.Repository) bool {
	page := strings.TrimSuffix(r.Pulls.Web, "/")
	return page != "" && strings.HasPrefix(address, page+"/") ||
		atAddress(address, []repository.Repository{r}) != ""
}

// baseIn returns what a text says of the base.
func baseIn(
	text string, r repository.Repository, all func(wanted func(string) bool) []git.ReleaseBranch,
) Base {
	mentions := baseMentions(text, r)
	if len(mentions) == 0 {
		return Base{}
	}
	list := all(func(name string) bool {
		return slices.ContainsFunc(mentions, func(m mention) bool { return m.mayMean(name) })
	})
	var found []string
	for _, m := range mentions {
		for _, name := range m.find(list, r) {
			if !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
	}
	switch {
	case len(found) == 1 && r.IsBase(found[0]):
		return Base{Name: found[0]}
	case len(found) == 1 && r.IsOwn(found[0]):
		return Base{Said: plaintext.CodeSpan(found[0]) + " is a branch of my own, and no base."}
	case len(found) == 1:
		return Base{Said: fmt.Sprintf("%s may not be the base here: my operator can allow it, under `bases` "+
			"of %s.", plaintext.CodeSpan(found[0]), r.Name)}
	case len(found) > 1:
		return Base{Said: fmt.Sprintf("Several branches are named (%s).",
			plaintext.FirstOf(codeSpans(found), mostNear)) + howToChoose}
	case mentions[0].sure:
		return Base{Said: fmt.Sprintf("There is no branch or tag %s.%s", plaintext.CodeSpan(mentions[0].word),
			didYouMean(mentions[0].word, r, all)) + howToChoose}
	}
	return Base{}
}

const howToChoose = " Reply `branch: NAME` for another one."

// didYouMean returns a sentence with the bases whose names are like a word, or an empty string.
func didYouMean(
	word string, r repository.Repository, all func(wanted func(string) bool) []git.ReleaseBranch,
) string {
	const slips = 2 // letters that differ
	var names []string
	for _, b := range all(r.IsBase) {
		if plaintext.EditDistance(word, b.Name, slips) <= slips && len(names) < mostNear {
			names = append(names, b.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return " Did you mean " + strings.Join(codeSpans(names), " or ") + "?"
}

// mayMean reports whether a mention may mean the branch or tag of that name.
func (m mention) mayMean(name string) bool {
	switch {
	case name == m.word:
		return m.sure || m.address || likeBranch.MatchString(name) || len(name) > 3
	case m.address:
		return strings.HasPrefix(m.word, name+"/")
	}
	return (m.sure || likeBranch.MatchString(m.word)) && strings.ContainsAny(m.word, "0123456789-") &&
		len(m.word) > 2 && backports.EndsIn(name, m.word)
}

// find returns the names of the branches or tags that a mention may mean.
func (m mention) find(all []git.ReleaseBranch, r repository.Repository) (names []string) {
	all = slices.DeleteFunc(slices.Clone(all), func(b git.ReleaseBranch) bool { return !m.mayMean(b.Name) })
	if m.address { // the longest, if one begins as another does
		slices.SortStableFunc(all, func(a, b git.ReleaseBranch) int { return len(b.Name) - len(a.Name) })
		all = all[:min(len(all), 1)]
	} else {
		all = FindBranches(r, all, m.word)
	}
	for _, b := range all {
		names = append(names, b.Name)
	}
	return names
}

// FindBranches returns the branches of r that a person may mean by wanted, or else the tags: the one with
// exactly that name, otherwise those whose name ends in it. Of several, releases are preferred.
func FindBranches(r repository.Repository, all []git.ReleaseBranch, wanted string) []git.ReleaseBranch {
	if i := slices.IndexFunc(all, func(b git.ReleaseBranch) bool { return b.Name == wanted }); i >= 0 {
		return all[i : i+1]
	}
	for _, branch := range []bool{true, false} {
		found := slices.DeleteFunc(slices.Clone(all),
			func(b git.ReleaseBranch) bool { return b.Branch != branch || !backports.EndsIn(b.Name, wanted) })
		if releases := slices.DeleteFunc(slices.Clone(found),
			func(b git.ReleaseBranch) bool { return !r.IsRelease(b.Name) }); len(releases) > 0 {
			found = releases
		}
		if len(found) > 0 {
			return found
		}
	}
	return nil
}

func codeSpans(names []string) (spans []string) {
	for _, name := range names {
		spans = append(spans, plaintext.CodeSpan(name))
	}
	return spans
}

// BaseButton returns the button that asks for another base of r, or nil if there is none, or if work was
// approved already. names are those of the remote's branches and tags; the button's value holds those to
// choose from.
func (c *Catalog) BaseButton(r repository.Repository, names []string) []workflow.Button {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !r.IsBase(name) })
	if len(names) < 2 || c.Session().Branch != "" {
		return nil
	}
	return []workflow.Button{{
		ActionID: workflow.ButtonBase,
		Label:    "Change branch…",
		Value:    store.NewToken(),
		Means:    strings.Join(names, "\n"),
	}}
}
