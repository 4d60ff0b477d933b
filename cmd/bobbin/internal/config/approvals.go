package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
)

// maxApprovals is how many people a repository can ask for. More could hardly be found in a channel.
const maxApprovals = 10

// checkApprovals checks how many people have to approve, and which groups have to be among them.
func (r *Repository) checkApprovals(p *strictyaml.Problems, at string) {
	isGroup := func(id string) bool { return strings.HasPrefix(id, "S") }
	switch people := !slices.ContainsFunc(r.Approvers, isGroup); {
	case r.Approvals < 0 || r.Approvals > maxApprovals:
		p.At(at+".approvals", "approvals is %d; a number from 1 to %d is expected: "+
			"how many people have to approve",
			r.Approvals, maxApprovals)
	case len(r.Approvers) > 0 && people && distinct(r.Approvers) < r.Approvals:
		p.At(at+".approvals", "%s needs approvals of %d people, and approvers names %d: "+
			"name more, or ask for fewer",
			r.Describe(), r.Approvals, distinct(r.Approvers))
	}
	for i, n := range r.Needs {
		here := fmt.Sprintf("%s.needs[%d]", at, i)
		switch {
		case n.Files == "":
			p.At(here, "needs names no files; a pattern of paths is expected, such as files: \"deploy/**\"")
		case !doublestar.ValidatePattern(n.Files) || strings.HasPrefix(n.Files, "/"):
			p.At(here+".files", "files %q is no pattern of paths within the repository, such as "+
				"deploy/**", n.Files)
		}
		if len(n.From) == 0 {
			p.At(here, "needs names nobody for %q; people and groups are expected, such as from: "+
				"[S0456EFGH]", n.Files)
		}
		p.InForm(here+".from", n.From, personName, "the id of a person (U…) or a user group (S…)")
	}
}

func distinct(ids []string) int {
	return len(slices.Compact(slices.Sorted(slices.Values(ids))))
}
