package catalog

import (
	"context"
	"fmt"
	"slices"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/proposal"
)

// Exposure returns why what is pushed to the repository may be read by people who may not read the thread, or
// another repository that the work is about, too. It is empty if neither is closed to anybody, or the
// repository is not public. What cannot be read counts as private thread and as public repository.
func (c *Catalog) Exposure(ctx context.Context, r repository.Repository) string {
	public := c.isPublic(ctx, r)
	if public == "" {
		return ""
	}
	private, err := c.Slack.Private(ctx, c.Session().Thread.Channel)
	switch {
	case err != nil:
		c.Log.Warn("a thread counts as private: cannot read what channel it is in", "err", err)
		return "I cannot tell whether this conversation is private, since Slack does not say, and " + public
	case private:
		return "This conversation is private, and " + public
	}
	if other := c.closedBeside(ctx, r); other != "" {
		return fmt.Sprintf("The work is about %s, too, which not everybody can read, and %s",
			plaintext.OneLine(other), public)
	}
	return ""
}

// MayQuoteClosed reports whether what the session reports may quote another repository that not everybody can
// read, while everybody can read r, or that is not known.
func (c *Catalog) MayQuoteClosed(ctx context.Context, r repository.Repository) bool {
	return c.closedBeside(ctx, r) != "" && c.isPublic(ctx, r) != ""
}

// closedBeside returns another repository that the session is about, and that not everybody can read, or an
// empty string.
func (c *Catalog) closedBeside(ctx context.Context, r repository.Repository) string {
	for _, name := range c.Session().Before {
		if name != r.Name && c.isClosed(ctx, c.Configured(name)) {
			return name
		}
	}
	return ""
}

// isClosed reports whether it is known that not everybody can read the repository.
func (c *Catalog) isClosed(ctx context.Context, r repository.Repository) bool {
	if r.Private || r.MembersOnly {
		return true
	}
	visibility, err := r.Readers(ctx)
	if err != nil {
		c.Log.Warn("a repository counts as closed: cannot read who may read it", "repository", r.Name,
			"err", err)
		return true
	}
	return visibility != "" && visibility != host.Public
}

// isPublic returns in words why the repository is public, or may be. It is empty if it is not.
func (c *Catalog) isPublic(ctx context.Context, r repository.Repository) string {
	name := plaintext.OneLine(r.Name)
	unknown := func(why string) string {
		return fmt.Sprintf("I cannot tell whether everybody can read %s: %s. My operator can say so under "+
			"`visibility`", name, why)
	}
	if r.Visibility == "" && r.Private {
		return ""
	}
	switch visibility, err := r.Readers(ctx); {
	case err == nil && visibility == "":
		return unknown("the configuration names no git host for it")
	case err != nil:
		c.Log.Warn("a repository counts as public: cannot read who may read it", "repository", r.Name,
			"err", err)
		return unknown(r.Pulls.Words().Host + " does not say")
	case visibility == host.Public:
		return "everybody can read " + name
	}
	return ""
}

// hidesWords reports whether the name of the branch must not have the words of the thread: others could read
// them, and nobody has agreed.
func (c *Catalog) hidesWords(ctx context.Context, r repository.Repository) (bool, error) {
	if c.Exposure(ctx, r) == "" {
		return false, nil
	}
	chosen, err := c.Store.ChosenDisclosure(ctx, c.Session().ID, r.Name)
	return chosen == nil || chosen.Choice != workflow.DisclosureShown, err
}

// Discretion returns what the push of the session to the repository must not show, by what was chosen.
func (c *Catalog) Discretion(
	ctx context.Context, r repository.Repository, choice workflow.DisclosureChoice,
) (d proposal.Discretion, err error) {
	d.Neutral = choice == workflow.DisclosureNeutral
	d.Anonymous = r.Anonymous
	if d.Nameless() {
		d.People, err = c.people(ctx)
	}
	return d, err
}

// people returns how the people of the thread are called.
func (c *Catalog) people(ctx context.Context) (names []string, err error) {
	written, err := c.Inbox().NewestWordings(ctx)
	if err != nil {
		return nil, fmt.Errorf("who is in the thread: %w", err)
	}
	users := []string{c.Session().Requester}
	for _, m := range written {
		users = append(users, m.User)
	}
	slices.Sort(users)
	for _, user := range slices.Compact(users) {
		if user == "" {
			continue
		}
		p, err := c.Slack.Person(ctx, c.Session().Thread, user)
		if err != nil {
			return nil, fmt.Errorf("who is in the thread: %w", err)
		}
		names = append(names, p.Name, p.Credit)
	}
	return names, nil
}

// BranchWithoutWords returns the name of the session's branch if it is pushed without the words of the
// thread: that of a pushed branch stays, since it is public already.
func (c *Catalog) BranchWithoutWords(ctx context.Context) (string, error) {
	s := c.Session()
	pushes, err := c.Store.Pushes(ctx, s.ID)
	if err != nil || slices.ContainsFunc(pushes, func(p workflow.Push) bool { return p.Branch == s.Branch }) {
		return s.Branch, err
	}
	all, err := c.namedTickets(ctx)
	if err != nil {
		return "", fmt.Errorf("name a branch: %w", err)
	}
	of, _ := workTicket(all)
	r := c.Configured(s.Repository)
	return c.freeName(ctx, r, c.NeutralBranch(r, of, s.ReportKind), all)
}
