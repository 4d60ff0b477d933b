package packages

import (
	"context"
	"slices"

	"github.com/bobbinhq/bobbin/repo/git"
)

// A Named is a group of packages that a commit names, as Fetch would fetch it.
type Named struct {
	Kind    string   // of project: go, node, python, rust, ruby, java; empty: the operator's commands
	Manager string   // the program that fetches them; empty: the operator's commands
	Names   string   // the files that name them, as in Missing
	Files   []string // the paths of these files
}

// FindNamed returns the packages that a commit names. It fetches nothing.
func FindNamed(ctx context.Context, all git.Commits, commit string, c Config) ([]Named, error) {
	if c.Off {
		return nil, nil
	}
	plans, err := findPlans(ctx, all, commit, c)
	var found []Named
	for _, p := range plans {
		n := Named{Kind: p.kind(), Names: p.lockNames(), Files: slices.Clone(p.locks)}
		if !p.own {
			n.Manager = p.managers[0].Name
		}
		found = append(found, n)
	}
	return found, err
}
