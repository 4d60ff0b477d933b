package backports

import "strings"

// EndsIn reports whether a release's name ends in wanted, after a separator (/, - or _) or a "v". It ignores
// case.
func EndsIn(name, wanted string) bool {
	name = strings.ToLower(name)
	wanted = strings.TrimPrefix(strings.ToLower(wanted), "v")
	before, ends := strings.CutSuffix(name, wanted)
	if !ends || wanted == "" {
		return false
	}
	before = strings.TrimSuffix(before, "v")
	return before == "" || strings.ContainsAny(before[len(before)-1:], "/-_")
}

// MayBeTo reports whether the row is a backport to the release that a person names. Before the row's release
// was looked up, "1.4" and "release/1.4" may be the same one; "api-1.4" and "web-1.4" never are.
func (r Row) MayBeTo(release string) bool {
	if r.Release != "" {
		return EndsIn(r.Release, release)
	}
	return EndsIn(r.Wanted, release) || EndsIn(release, r.Wanted)
}
