package project

import (
	"slices"
	"strings"
)

// Without returns the project with a test command that leaves out the tests with these names, in whatever
// group they are. It returns false if the runner cannot leave tests out by name: only go test can.
func (p Project) Without(names []string) (Project, bool) {
	m := nearCall.FindStringSubmatch(p.Test)
	if m == nil || len(names) == 0 {
		return p, false
	}
	all := goAll.FindString(m[3])
	flags := strings.TrimSuffix(m[3], all)
	if all == "" || !goPartable.MatchString(flags) {
		return p, false
	}
	var top []string
	for _, name := range names {
		name, _, _ = strings.Cut(name, "/")
		if !goName.MatchString(name) {
			return p, false
		}
		if !slices.Contains(top, name) {
			top = append(top, name)
		}
	}
	slices.Sort(top)
	p.Test = m[1] + flags + " -skip " + shellQuote("^("+strings.Join(top, "|")+")$") + all
	p.Written = ""
	return p, true
}
