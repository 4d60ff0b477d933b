package lockfile

import (
	"slices"
	"strings"
)

// A Difference is what two states of a project's lock files say of a package differently. Before and After
// are its versions, several with a comma between them; empty: it is not there.
type Difference struct {
	Name, Before, After string
	Direct              bool
}

// Compare returns the differences, those of direct packages first.
func Compare(before, after []Package) (found []Difference) {
	versions := func(all []Package) (map[string][]string, map[string]bool) {
		byName := map[string][]string{}
		direct := map[string]bool{}
		for _, p := range all {
			if !slices.Contains(byName[p.Name], p.Version) {
				byName[p.Name] = append(byName[p.Name], p.Version)
			}
			direct[p.Name] = direct[p.Name] || p.Direct
		}
		return byName, direct
	}
	was, directBefore := versions(before)
	is, directAfter := versions(after)
	names := keys(was, is)
	for _, name := range names {
		slices.Sort(was[name])
		slices.Sort(is[name])
		if !slices.Equal(was[name], is[name]) {
			found = append(found, Difference{
				Name: name, Before: strings.Join(was[name], ", "), After: strings.Join(is[name], ", "),
				Direct: directBefore[name] || directAfter[name],
			})
		}
	}
	slices.SortStableFunc(found, func(a, b Difference) int {
		switch {
		case a.Direct == b.Direct:
			return 0
		case a.Direct:
			return -1
		}
		return 1
	})
	return found
}
