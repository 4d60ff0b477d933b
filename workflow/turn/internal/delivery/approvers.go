package delivery

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/proposal"
)

// several reports whether more than one person had to approve the work: so many that the repository demands,
// or somebody of a group for some files.
func (p provenWork) several() bool {
	return p.quorum.Needed > 1 || len(p.quorum.Files) > 0 && len(p.quorum.By) > 1 ||
		p.allowance != nil && p.allowance.Missing != ""
}

// approvers returns how a commit names the people who approved the revision.
func (p provenWork) approvers() []proposal.Approver {
	var list []proposal.Approver
	for _, e := range p.quorum.By {
		if e.Subject == "" {
			list = append(list, proposal.Approver{Credit: e.Credit, Name: e.UserName, User: e.User})
		}
	}
	if list == nil && !p.several() { // from before each person's word was stored
		a := p.approval
		list = append(list, proposal.Approver{Credit: a.Credit, Name: a.UserName, User: a.User})
	}
	return list
}

// reviewers returns how a commit names the people who were needed besides, and who allowed exactly these
// files.
func (p provenWork) reviewers() []proposal.Approver {
	var list []proposal.Approver
	for _, e := range p.quorum.By {
		if e.Subject != "" && p.several() {
			list = append(list, proposal.Approver{Credit: e.Credit, Name: e.UserName, User: e.User})
		}
	}
	return list
}

// reviewedBy says who approved the work, who of them saw it themselves, and who disagrees. It is empty where
// one person is enough.
func (p provenWork) reviewedBy() string {
	if !p.several() {
		return ""
	}
	var names []string
	for _, e := range p.quorum.By {
		name := plaintext.OneLine(e.UserName)
		if p.observed[e.User] {
			name += " (observed it)"
		}
		names = append(names, name)
	}
	said := "Reviewed by " + strings.Join(names, ", ")
	for _, o := range p.overruled {
		said += "; " + disagrees(o)
	}
	return said
}

// disagrees says what a person has against work that was pushed all the same.
func disagrees(o workflow.Objection) string {
	if o.How != workflow.ObjectionByMessage {
		return plaintext.OneLine(o.String())
	}
	return fmt.Sprintf("%s disagrees: %s", plaintext.OneLine(o.UserName),
		plaintext.QuoteLine(plaintext.OneLine(o.Words)))
}

// observers returns which of the people whose words count say in the thread that they saw it themselves.
func (d *Delivery) observers(ctx context.Context, words []workflow.Endorsement) (map[string]bool, error) {
	seen := map[string]bool{}
	written, err := d.Inbox().NewestWordings(ctx)
	for _, m := range written {
		says := d.Words.Read(m.Text).Observed && slices.ContainsFunc(words,
			func(e workflow.Endorsement) bool { return e.User == m.User })
		seen[m.User] = seen[m.User] || says
	}
	return seen, err
}
