package config

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
)

// maxApprovals is how many people a repository can ask for. More could hardly be found in a channel.
const maxApprovals = 10

// checkApprovals checks how many people have to approve, and which groups have to be among them.
func (r *Repository) checkApprovals(p *strictyaml.Problems, at string) {
	isGroup := func(id string) bool { return strings.HasPrefix(id, "S") }
	people := len(r.Approvers) > 0 && !slices.ContainsFunc(r.Approvers, isGroup)
	switch {
	case r.Approvals < 0 || r.Approvals > maxApprovals || r.Approvals == 0 && p.Has(at+".approvals"):
		p.At(at+".approvals", "approvals is %d; write how many people have to approve, from 1 to %d, or "+
			"leave it out for 1", r.Approvals, maxApprovals)
	case people && distinct(r.Approvers) < r.Approvals:
		p.At(at+".approvals", "approvals is %d, and approvers names only %d; name more people there, or "+
			"lower approvals", r.Approvals, distinct(r.Approvers))
	}
	for i, n := range r.Needs {
		here := fmt.Sprintf("%s.needs[%d]", at, i)
		switch {
		case n.Files == "":
			p.At(here+".files", "files is missing: a pattern of paths, such as files: \"deploy/**\"")
		case !doublestar.ValidatePattern(n.Files) || strings.HasPrefix(n.Files, "/") ||
			slices.Contains(strings.Split(n.Files, "/"), ".."):
			p.At(here+".files", "files %q is no pattern of paths within the repository; write one such as "+
				"deploy/**", n.Files)
		}
		switch {
		case len(n.From) == 0:
			p.At(here+".from", "from is missing: the people and groups of whom somebody has to approve, "+
				"such "+
				"as from: [S0456EFGH]")
		case people && !slices.ContainsFunc(n.From, func(id string) bool {
			return isGroup(id) || slices.Contains(r.Approvers, id)
		}):
			p.At(here+".from", "from names nobody who is among approvers, so that no change of such files "+
				"could be approved; add %s to approvers", strings.Join(n.From, ", "))
		}
		if strings.ContainsAny(n.Name, "\r\n") || utf8.RuneCountInString(n.Name) > maxGroupName {
			p.At(here+".name", "name has to be one line of at most %d characters", maxGroupName)
		}
		p.InForm(here+".from", n.From, personName, wantedPerson)
	}
}

// maxGroupName is the most characters of the name by which people call a group.
const maxGroupName = 40

func distinct(ids []string) int {
	return len(slices.Compact(slices.Sorted(slices.Values(ids))))
}
