package server

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
)

// summary returns the configuration as lines for an admin in the App Home. It contains no addresses, which
// may hold credentials, and no secrets.
func (s Settings) summary() []string {
	lines := []string{"Repositories:"}
	for _, r := range s.Repositories {
		parts := []string{r.Name}
		add := func(text string, is bool) {
			if is {
				parts = append(parts, text)
			}
		}
		add("branch "+r.Base, r.Base != "")
		add("folder "+r.Scope, r.Scope != "")
		add("channels #"+strings.Join(r.Channels, " #"), len(r.Channels) > 0)
		add("every message is a request",
			slices.ContainsFunc(r.Channels, func(c string) bool { return slices.Contains(s.Watch, c) }))
		if len(r.Channels) > 0 {
			marks := s.Reactions[r.Channels[0]]
			add("reactions :"+strings.Join(marks, ": :")+":", len(marks) > 0)
		}
		add(cli.Count(len(r.Approvers.People), "approver"), len(r.Approvers.People) > 0)
		add("not by the requester", r.Approvers.OtherThanRequester)
		add(fmt.Sprintf("%d approvals", r.Approvers.Needed), r.Approvers.Needed > 1)
		for _, n := range r.Approvers.Needs {
			add(n.Who()+" for "+n.Files, n.Name != "")
			add(n.Who(), n.Name == "")
		}
		lines = append(lines, "  • "+strings.Join(parts, ", "))
	}
	lines = append(lines, "Models:")
	rows := agent.Table(s.Agents)
	for _, name := range slices.Sorted(maps.Keys(rows)) {
		if name == agent.Explainer || name == agent.Reviewer {
			continue // they use the orchestrator's settings
		}
		lines = append(lines, fmt.Sprintf("  • %s: %s", rows[name].Signature(),
			strings.TrimSpace(rows[name].Model+" "+rows[name].Effort)))
	}
	var limits []string
	for _, span := range workflow.Spans {
		for _, unit := range workflow.Units {
			if most := s.Limits[span][unit]; most > 0 {
				limits = append(limits, fmt.Sprintf("%s %g", workflow.LimitOf(span, unit), most))
			}
		}
	}
	if limits == nil {
		limits = []string{"none"}
	}
	atOnce := fmt.Sprintf("Sessions at once: %d", s.Seats.AtOnce)
	if n := s.Seats.PerReplica; n > 0 {
		atOnce += fmt.Sprintf(", in one replica at most %d", n)
	}
	return append(lines, "Limits: "+strings.Join(limits, ", "), atOnce)
}
