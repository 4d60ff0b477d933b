package catalog

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// BranchName returns the name of the branch for the work that a report of that kind asks for. It returns a
// *NameError if the patterns allow none, or no title of a commit: then work does not begin.
func (c *Catalog) BranchName(ctx context.Context, reportKind string) (string, error) {
	s := c.Session()
	if s.Branch != "" {
		return s.Branch, nil
	}
	title, err := c.WorkTitle(ctx)
	if err != nil {
		return "", err
	}
	r, _, err := c.Current(ctx)
	if err != nil {
		return "", err
	}
	all, err := c.namedTickets(ctx)
	if err != nil {
		return "", fmt.Errorf("name a branch: %w", err)
	}
	of, _ := workTicket(all)
	name, err := c.nameFor(ctx, r, title, of, reportKind)
	if err != nil {
		return "", err
	}
	if !r.Naming.Branch.Allows(name) {
		return "", c.refuseName(r, "branch", name, all)
	}
	if err := c.checkTitle(r, title, of, all); err != nil {
		return "", err
	}
	return c.freeName(ctx, r, name, all)
}

// nameFor returns the name of the branch, before it is known whether it is free. It names nobody.
func (c *Catalog) nameFor(
	ctx context.Context, r repository.Repository, title string, of Ticket, reportKind string,
) (string, error) {
	hidden, err := c.hidesWords(ctx, r)
	if err != nil {
		return "", fmt.Errorf("name a branch: %w", err)
	}
	if hidden {
		return c.NeutralBranch(r, of, reportKind), nil
	}
	d, err := c.Discretion(ctx, r, workflow.DisclosureShown)
	if err != nil {
		return "", fmt.Errorf("name a branch: %w", err)
	}
	if !d.Nameless() {
		if d.People, err = c.people(ctx); err != nil {
			c.Log.Warn("a branch may be named after somebody: cannot read who is in the thread", "err", err)
		}
	}
	slug := plaintext.Slug(d.WithoutNames(c.SecretFinder().Mask(title)))
	return c.branchOf(r, slug, of, reportKind), nil
}

// branchOf returns the name of a branch by the template for branches.
func (c *Catalog) branchOf(r repository.Repository, slug string, of Ticket, reportKind string) string {
	id := c.Session().ID
	if form := r.Naming.Branch; form.Template != "" {
		return form.Fill(map[string]string{
			repository.NameTicket: repository.TicketName(of.Name),
			repository.NameSlug:   slug,
			repository.NameID:     id,
			repository.NameType:   c.workType(reportKind),
		})
	}
	return cmp.Or(r.BranchPrefix, "bobbin/") + slug + "-" + id
}

// NeutralBranch returns a name for the branch that has no words of the thread. It has the ticket only if the
// house's pattern allows no name without one.
func (c *Catalog) NeutralBranch(r repository.Repository, of Ticket, reportKind string) string {
	slug := c.workType(reportKind)
	if form := r.Naming.Branch; form.Template != "" && !form.Uses(repository.NameID) {
		slug += "-" + c.Session().ID
	}
	if name := c.branchOf(r, slug, Ticket{}, reportKind); r.Naming.Branch.Allows(name) {
		return name
	}
	return c.branchOf(r, slug, of, reportKind)
}

// checkTitle returns a NameError if titles have a ticket, nobody named one, and no title would be allowed.
// What else a title may lack is seen when there is one.
func (c *Catalog) checkTitle(r repository.Repository, title string, of Ticket, all []Ticket) error {
	form := r.Naming.Title
	if of.Name != "" || !form.Uses(repository.NameTicket) {
		return nil
	}
	var made string
	for _, scope := range []string{"scope", ""} { // it is not known yet which files change
		one, allowed := form.Title(title, c.TitleValues(of, scope), len(title), plaintext.CutWords)
		if allowed {
			return nil
		}
		made = cmp.Or(made, one)
	}
	return c.refuseName(r, "title", made, all)
}

// TitleValues returns the values of the placeholders in the title of a commit, other than the summary.
func (c *Catalog) TitleValues(of Ticket, scope string) map[string]string {
	return map[string]string{
		repository.NameTicket: of.Name,
		repository.NameScope:  scope,
		repository.NameType:   c.workType(c.Session().ReportKind),
	}
}

// workType returns what the work of a report is, for names: fix or feat.
func (c *Catalog) workType(reportKind string) string {
	if c.Session().Kind == workflow.KindFeature || reportKind == workflow.ReportRequest {
		return repository.TypeFeature
	}
	return repository.TypeFix
}

// mostAlike is how many branches of one name are told apart by a number.
const mostAlike = 20

// freeName returns the name, or that name with a number, that no branch of the remote and no other session
// has.
func (c *Catalog) freeName(
	ctx context.Context, r repository.Repository, name string, all []Ticket,
) (string, error) {
	id := c.Session().ID
	if r.Naming.Branch.Template == "" || strings.Contains(name, id) {
		return name, nil
	}
	there := func(string) bool { return false }
	if c.Mirrors != nil {
		mirror, err := c.Mirrors.Open(ctx, r.Remote)
		if err != nil {
			return "", fmt.Errorf("name a branch: %w", err)
		}
		there = mirror.Commits().HasBranch
	}
	for n := 1; n <= mostAlike+1; n++ {
		try := name
		switch {
		case n > mostAlike:
			try += "-" + id
		case n > 1:
			try = fmt.Sprintf("%s-%d", name, n)
		}
		taken, err := c.Store.BranchTaken(ctx, r.Name, try, id)
		if err != nil {
			return "", err
		}
		if !taken && !there(try) && r.Naming.Branch.Allows(try) {
			return try, nil
		}
	}
	return "", c.refuseName(r, "branch", name+"-"+id, all)
}
