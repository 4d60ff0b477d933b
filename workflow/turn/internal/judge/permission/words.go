package permission

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// maxNamed is how many approvers a sentence names.
const maxNamed = 3

// RefusalText says in plain words to a person who may not decide why not, and who may.
func (ps *Permissions) RefusalText(
	ctx context.Context, p workflow.Person, why string, a workflow.Approvers,
) string {
	reason := plaintext.Capitalize(why) + "."
	if why == workflow.WhyRequester {
		reason = "You asked for this, so somebody else has to approve it."
	}
	who := a.Who()
	if names := ps.ApproverNames(ctx, p); names != "" && a.Missing == "" {
		who = "Only " + names + " can approve here."
		if a.Needed > 1 {
			who = strings.TrimSuffix(who, ".") + ", and " + strconv.Itoa(a.Needed) + " people have to."
		}
	}
	switch {
	case why == workflow.WhyNotNamed:
		return who
	case why == workflow.WhyRequester && who == a.Who():
		return reason
	}
	return reason + " " + who
}

// ApproverNames returns the names of the people and groups that the configuration names as approvers, without
// the person p, and without the requester if another person has to approve: "bea or carl". It returns an
// empty string if it names none.
func (ps *Permissions) ApproverNames(ctx context.Context, p workflow.Person) string {
	r, ok, err := ps.Catalog.Current(ctx)
	if err != nil || !ok {
		return ""
	}
	var names []string
	for _, id := range r.Approvers.People {
		if r.Approvers.OtherThanRequester && id == ps.Session().Requester {
			continue
		}
		name := ps.nameOf(ctx, id)
		if id != p.ID && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if more := len(names) - maxNamed; more > 0 {
		names = append(names[:maxNamed], strconv.Itoa(more)+" others")
	}
	return plaintext.Or(names)
}

// nameOf returns the name of a person, or the handle of a group.
func (ps *Permissions) nameOf(ctx context.Context, id string) string {
	if strings.HasPrefix(id, "S") {
		return plaintext.OneLine(ps.Slack.Readable(ctx, "<!subteam^"+id+">"))
	}
	return plaintext.OneLine(strings.TrimPrefix(ps.Slack.Readable(ctx, "<@"+id+">"), "@"))
}
