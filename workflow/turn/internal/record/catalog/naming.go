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
// *NameError if the house's rules allow none, or no title of a commit: then work does not begin.
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
	slug := plaintext.Slug(c.SecretFinder().Mask(title))
	name := cmp.Or(r.BranchPrefix, "bobbin/") + slug + "-" + s.ID
	if form := r.Naming.Branch; form.Template != "" {
		name = form.Fill(map[string]string{
			repository.NameTicket: repository.TicketName(of.Name),
			repository.NameSlug:   slug,
			repository.NameID:     s.ID,
			repository.NameType:   c.workType(reportKind),
		})
	}
	if !r.Naming.Branch.Allows(name) {
		return "", c.refuseName(r, "branch", name, all)
	}
	if err := c.checkTitle(r, title, of, all); err != nil {
		return "", err
	}
	return c.freeName(ctx, r, name, all)
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
