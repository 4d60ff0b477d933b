package permit

import (
	"slices"

	"github.com/bobbinhq/bobbin/workflow"
)

// Approvers says who may approve work in a repository.
type Approvers struct {
	People             []string // Slack user ids; empty: any full member of the workspace who is in the channel
	OtherThanRequester bool
	Missing            string // a repository that the configuration does not name any more: nobody can approve
}

// MayApprove returns why p may not approve work that the requesters asked for, or an empty string if p may.
func (a Approvers) MayApprove(p workflow.Person, requesters ...string) string {
	switch {
	case p.Bot:
		return "bots cannot approve"
	case p.Deleted:
		return "that account is deactivated"
	case p.Stranger:
		return "people from another workspace cannot approve"
	case p.Guest:
		return "guests cannot approve"
	case a.Missing != "":
		return "the configuration names no repository " + a.Missing + " any more"
	case !p.InThread:
		return "only members of this channel can approve"
	case a.OtherThanRequester && slices.Contains(requesters, p.ID):
		return "somebody other than the person who asked has to approve"
	case len(a.People) > 0 && !slices.Contains(a.People, p.ID):
		return "this repository names its approvers"
	}
	return ""
}

// Who says in a sentence who may approve.
func (a Approvers) Who() string {
	if a.Missing != "" {
		return "Nobody can until whoever runs me names " + a.Missing + " in the configuration again."
	}
	who := "Any full member of the workspace who is in this channel can"
	if len(a.People) > 0 {
		who = "The approvers of this repository can"
	}
	if a.OtherThanRequester {
		who += ", except the person who asked"
	}
	return who + "."
}
