package catalog

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
)

// A Base is what a request says of the branch or tag that it is about.
type Base struct {
	Name   string // empty: the repository's base
	Commit string // of the branch of a fork, which the remote does not have; empty: that of Name
	Pull   int64  // number of the pull request whose branch it is; 0: of none
	Into   string // the branch into which that is to be merged
	Said   string // what people are told of it, or of a name that does not count; empty: nothing
	Note   string // what agents are told beside it
}

// typed are the kinds of messages whose words choose a base.
var typed = []workflow.MessageKind{workflow.MessageMention, workflow.MessageReply}

// Base returns the branch or tag of r that the newest message names which names one, by itself, by a pull
// request or by a run of it. Only messages count that full members of the workspace typed in the thread: not
// what an app, a guest or somebody elsewhere wrote.
func (c *Catalog) Base(ctx context.Context, r repository.Repository, commits git.Commits) (Base, error) {
	unseen, err := c.Inbox().Unseen(ctx, 0)
	if err != nil {
		return Base{}, fmt.Errorf("choose the base: %w", err)
	}
	for _, m := range slices.Backward(unseen) {
		if m.User == "" || m.App() != "" || !slices.Contains(typed, m.Kind) {
			continue
		}
		text := withoutQuotes(m.Text)
		b, err := c.refuseOwn(ctx, r, baseIn(text, r, commits.Releases))
		if err != nil {
			return Base{}, err
		}
		pulls := pullMentions(text, r)
		if b == (Base{}) && len(pulls) == 0 {
			continue
		}
		if b.Name == "" { // a branch that is named beside a pull request counts
			pull, err := c.pulls(r, commits).baseOf(ctx, pulls)
			if err != nil {
				return Base{}, err
			}
			if pull != (Base{}) {
				b = pull
			}
		}
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
	if number, ok := pullNumber(name); ok {
		return c.PullBase(ctx, r, mirror.Commits(), number)
	}
	return c.refuseOwn(ctx, r, baseIn("branch: "+name, r, mirror.Commits().Releases))
}

// refuseOwn returns the base, or why it is none: the bot pushed that branch, whose name is one of its own.
func (c *Catalog) refuseOwn(ctx context.Context, r repository.Repository, b Base) (Base, error) {
	if b.Name == "" || b.Name == r.Base {
		return b, nil
	}
	own, err := pullrequest.Register{Store: c.Store}.IsOwnBranch(ctx, r.Name, b.Name)
	if err != nil || !own {
		return b, err
	}
	return Base{Said: plaintext.CodeSpan(b.Name) + " is a branch of my own, and no base."}, nil
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
	var names []string
	for _, b := range all(r.IsBase) {
		names = append(names, b.Name)
	}
	found := near(word, names)
	if len(found) == 0 {
		return ""
	}
	return " Did you mean " + strings.Join(codeSpans(found), " or ") + "?"
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
