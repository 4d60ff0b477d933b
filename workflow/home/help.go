package home

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

// How many repositories a help names, and how many people who may approve.
const (
	maxHelpRepositories = 10
	maxHelpApprovers    = 5
)

// Help returns what the bot says about itself to whoever asks there. It reads rows and Slack, and asks no
// model. It fails if the rows cannot be read; names of approvers that Slack does not tell are left out.
func (h *Homes) Help(ctx context.Context, q workflow.HelpQuestion) (workflow.Help, error) {
	help := h.shortHelp()
	help.Limits = h.Limits
	if strings.HasPrefix(q.Channel, "D") {
		help.Place = workflow.HelpDirect
	}
	if h.PageOf != nil && q.Reader.ID != "" {
		help.Page = h.PageOf(q.Reader.ID, "")
	}
	named := h.helpRepositories(q)
	help.Others = max(0, len(named)-maxHelpRepositories)
	groups := map[string][]string{}
	for _, r := range named[:len(named)-help.Others] {
		x := workflow.HelpRepository{
			Name: r.Name,
			Base: r.Base,
			Own:  slices.Contains(r.Channels, q.Channel),
		}
		x.Approvers, x.May = h.sayApprovers(ctx, r, q, groups)
		var err error
		if x.Past, err = view.PastOf(ctx, h.Store.DB, r.Name); err != nil {
			return help, err
		}
		help.Repositories = append(help.Repositories, x)
	}
	return help, nil
}

// shortHelp returns what the short help of an App Home says. Nothing is looked up for it.
func (h *Homes) shortHelp() workflow.Help {
	return workflow.Help{Unconfigured: len(h.Repositories) == 0, DocsURL: h.DocsURL}
}

// helpRepositories returns the repositories that a thread of the place may be about: if some are the
// channel's own, those alone. Guests are told of none that is not.
func (h *Homes) helpRepositories(q workflow.HelpQuestion) (named []repository.Repository) {
	for _, r := range h.Repositories {
		if q.Channel != "" && slices.Contains(r.Channels, q.Channel) {
			named = append(named, r)
		}
	}
	if len(named) > 0 || q.Guests || q.Reader.Guest {
		return named
	}
	return slices.DeleteFunc(slices.Clone(h.Repositories),
		func(r repository.Repository) bool { return r.Private })
}

// sayApprovers says who may approve work in the repository and, if one person alone reads that, whether that
// person may.
func (h *Homes) sayApprovers(
	ctx context.Context, r repository.Repository, q workflow.HelpQuestion, groups map[string][]string,
) (who, may string) {
	a := r.Approvers
	who = "Any full member of the workspace who is in the channel"
	if len(a.People) > 0 {
		a.People = h.withMembers(ctx, a.People, groups)
		who = h.namePeople(ctx, a.People)
	}
	if a.OtherThanRequester {
		who += ", except the person who asked"
	}
	if a.Needed > 1 {
		who += fmt.Sprintf("; %d of them have to", a.Needed)
	}
	for _, n := range a.Needs {
		who += "; for " + plaintext.CodeSpan(n.Files) + " also " + n.Who()
	}
	if q.Reader.ID == "" {
		return who, ""
	}
	p := q.Reader
	p.InThread = true
	switch why := a.MayApprove(p); {
	case why != "":
		return who, "You may not: " + why + "."
	case a.OtherThanRequester:
		return who, "You may, for what others ask."
	}
	return who, "You may."
}

// withMembers returns the ids with those of the members of the groups among them. Each group is read once; of
// one that cannot be read no member is known.
func (h *Homes) withMembers(ctx context.Context, named []string, groups map[string][]string) (ids []string) {
	for _, id := range named {
		ids = append(ids, id)
		if !strings.HasPrefix(id, "S") {
			continue
		}
		if _, read := groups[id]; !read {
			users, err := h.Directory.Group(ctx, id)
			if err != nil {
				h.Log.Warn("read the approvers of a group", "group", id, "err", err)
			}
			groups[id] = users
		}
		ids = append(ids, groups[id]...)
	}
	return ids
}

// namePeople returns the names of the people among the ids, as far as Slack tells them.
func (h *Homes) namePeople(ctx context.Context, ids []string) string {
	var names []string
	more := 0
	seen := map[string]bool{}
	for _, id := range ids {
		switch {
		case strings.HasPrefix(id, "S"), seen[id]:
			continue
		case len(names) == maxHelpApprovers:
			more++
			continue
		}
		seen[id] = true
		if name := h.Directory.DisplayName(ctx, id); name != id {
			names = append(names, plaintext.OneLine(name))
		}
	}
	switch {
	case len(names) == 0:
		return "The approvers that the configuration names"
	case more > 0:
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	}
	return plaintext.And(names)
}
