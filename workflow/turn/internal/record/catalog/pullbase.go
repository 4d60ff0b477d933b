package catalog

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// This file makes the branch of a pull request the base of a session.

const (
	pullTime = 30 * time.Second // for what a host is asked of one message's pull requests
	maxPulls = 3                // of one message that are looked up
)

// A pullReader asks the host of a repository which pull request a message is about.
type pullReader struct {
	repository repository.Repository
	hasBranch  func(name string) bool // at the remote
	// whether the bot pushed the branch of the pull request
	isOwn func(ctx context.Context, p host.Issue) (bool, error)
	warn  func(msg string, args ...any)
}

// baseOf returns the base that the mentions of a message lead to. It is empty if they lead to no pull
// request.
func (pr pullReader) baseOf(ctx context.Context, mentions []pullMention) (Base, error) {
	if pr.repository.Pulls.Host == nil || len(mentions) == 0 {
		return Base{}, nil
	}
	limited, cancel := context.WithTimeout(ctx, pullTime)
	defer cancel()
	var found []host.Issue
	var said []string
	for _, m := range mentions[:min(len(mentions), maxPulls)] {
		pull, why := pr.find(limited, m)
		if ctx.Err() != nil {
			return Base{}, ctx.Err()
		}
		known := func(o host.Issue) bool { return o.Number == pull.Number }
		switch {
		case why != "":
			said = append(said, why)
		case pull.Number > 0 && !slices.ContainsFunc(found, known):
			found = append(found, pull)
		}
	}
	switch {
	case len(found) == 1:
		return pr.base(ctx, found[0])
	case len(found) > 1:
		var names []string
		for _, p := range found {
			names = append(names, pr.name(p.Number))
		}
		return Base{Said: fmt.Sprintf("Several %ss are named (%s). Reply `branch: %s` for one of them.",
			pr.repository.Pulls.Words().Noun, strings.Join(names, ", "), names[0])}, nil
	}
	return Base{Said: strings.Join(said, " ")}, nil
}

// name returns how people at the host write the number of a pull request: #77.
func (pr pullReader) name(number int64) string {
	return pr.repository.Pulls.Words().Mark + strconv.FormatInt(number, 10)
}

// find returns the pull request that a mention means. Its number is 0 if it means none: a number that is of
// an issue, or a run of the base. why says why one that is surely meant cannot be looked into.
func (pr pullReader) find(ctx context.Context, m pullMention) (pull host.Issue, why string) {
	number := m.number
	if m.run != "" || m.job != "" {
		if number, why = pr.ofRun(ctx, m); number == 0 {
			return host.Issue{}, why
		}
	}
	pull, err := pr.repository.Pulls.Host.Issue(ctx, number, m.pull || m.run+m.job != "")
	switch {
	case err != nil && (m.sure || m.pull && !errors.Is(err, host.ErrNotFound)):
		return host.Issue{}, pr.unread(ctx, pr.name(number), err)
	case err != nil || !pull.Pull:
		return host.Issue{}, ""
	}
	return pull, ""
}

// ofRun returns the number of the pull request for which a run was made, or 0 if it was for none.
func (pr pullReader) ofRun(ctx context.Context, m pullMention) (number int64, why string) {
	run, err := pr.repository.Pulls.Host.Run(ctx, m.run, m.job)
	switch {
	case err != nil:
		return 0, pr.unread(ctx, "the run", err)
	case run.Pull > 0 || run.Branch == "" || run.Branch == pr.repository.Base:
		return run.Pull, ""
	case run.Fork:
		return 0, "The run is of a branch in a fork: name its " + pr.repository.Pulls.Words().Noun + "."
	}
	pull, err := pr.repository.Pulls.Host.Find(ctx, run.Branch)
	switch {
	case err != nil:
		return 0, pr.unread(ctx, "the run's branch", err)
	case pull == nil || pull.State != host.Open:
		return 0, fmt.Sprintf("The run is of %s: reply `branch: NAME` if that is meant.",
			plaintext.CodeSpan(run.Branch))
	}
	return pull.Number, ""
}

// unread says that something at the host cannot be read.
func (pr pullReader) unread(ctx context.Context, what string, err error) string {
	pr.warn("a pull request is not looked into", "what", what, "err", err)
	why := "it does not answer"
	var refused *remote.Error
	switch {
	case ctx.Err() != nil:
		why = "it does not answer in time"
	case errors.Is(err, host.ErrNotFound), errors.Is(err, host.ErrForbidden):
		why = "it is not there, or the token may not see it"
	case errors.As(err, &refused):
		why = strings.TrimSuffix(plaintext.SafeLine(refused.Reason, 200), ".")
	}
	return fmt.Sprintf("I cannot read %s at the git host: %s.", what, why)
}

// gone says why nothing can be added to a pull request any more, or nothing if it can.
func (pr pullReader) gone(p host.Issue) string {
	name := pr.name(p.Number)
	switch {
	case p.State == string(host.Merged) && p.Base != "":
		return fmt.Sprintf("%s was merged into %s already.", name, plaintext.CodeSpan(p.Base))
	case p.State != string(host.Open) && p.State != "opened":
		return fmt.Sprintf("%s is %s already.", name, plaintext.SafeLine(p.State, 40))
	case !p.Fork && !pr.hasBranch(p.Branch):
		return fmt.Sprintf("The branch of %s is not there any more.", name)
	}
	return ""
}

// base returns the branch of a pull request as the base. That of a fork is known by the number of the pull
// request alone.
func (pr pullReader) base(ctx context.Context, p host.Issue) (Base, error) {
	name := pr.name(p.Number)
	noun := pr.repository.Pulls.Words().Noun
	by := prompt.PersonName(p.Author)
	gone := pr.gone(p)
	if gone == "" && p.Fork && p.Head == "" {
		gone = fmt.Sprintf("The git host does not say which commit %s is at.", name)
	}
	if gone != "" {
		return Base{Said: gone}, nil
	}
	if own, err := pr.isOwn(ctx, p); err != nil || own {
		return Base{Said: fmt.Sprintf("%s is a %s of my own: reply in its thread.", name, noun)}, err
	}
	b := Base{
		Name: p.Branch,
		Pull: p.Number,
		Said: fmt.Sprintf("That is the branch of %s %s by %s.", noun, name, by),
		Note: fmt.Sprintf("The request is about %s %s, from branch %s into %s. history with commit %q shows "+
			"what it changes. A fix is made on top of it. If people ask what you think of it: read it and "+
			"the code around it, run its tests, and call report_review. %s Conflicts of it with %s are for "+
			"whoever owns it; you merge nothing.", noun, name, prompt.FileName(p.Branch),
			prompt.FileName(p.Base), name, pr.afterPush(p), prompt.FileName(p.Base)),
		Into: p.Base,
	}
	if p.Fork {
		b.Name = name
		b.Commit = p.Head
		b.Said = fmt.Sprintf("That is %s %s by %s, from a fork: what I push stays on a branch of mine.",
			noun, name, by)
	}
	return b, nil
}

// afterPush tells agents with which words people go on after the push of a fix.
func (pr pullReader) afterPush(p host.Issue) string {
	if p.Fork {
		return "After its push, an approver has its newer commits merged into the fix by writing: update " +
			"the branch."
	}
	branch := prompt.FileName(p.Branch)
	return fmt.Sprintf("After its push, a fix comes to that branch itself if an approver writes: push it to "+
		"%s. Newer commits of that branch are merged into the fix by: merge %s.", branch, branch)
}

// pullNumber reads what names a pull request as a branch: "#77".
func pullNumber(name string) (number int64, ok bool) {
	if !strings.HasPrefix(name, "#") && !strings.HasPrefix(name, "!") {
		return 0, false
	}
	number, err := strconv.ParseInt(name[1:], 10, 64)
	return number, err == nil && number > 0
}

// PullBase returns the branch of a pull request as it is now, which a session is about already.
func (c *Catalog) PullBase(
	ctx context.Context, r repository.Repository, commits git.Commits, number int64,
) (Base, error) {
	return c.pulls(r, commits).baseOf(ctx, []pullMention{{number: number, pull: true, sure: true}})
}

func (c *Catalog) pulls(r repository.Repository, commits git.Commits) pullReader {
	return pullReader{
		repository: r,
		hasBranch:  commits.HasBranch,
		isOwn: func(ctx context.Context, p host.Issue) (bool, error) {
			return pullrequest.Register{Store: c.Store}.IsOwn(ctx, pullrequest.Pull{
				Repository: r.Name, Number: p.Number, Branch: p.Branch, Head: p.Head, Fork: p.Fork,
			})
		},
		warn: c.Log.Warn,
	}
}
