package proof

import (
	"cmp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

// A key identifies a test within a result. Several tests may share a name: nth numbers these from 0 on.
type key struct {
	group, name string
	nth         int
}

// unitOf returns the key of t, or of the test that t is a case of.
func unitOf(t result.Test) key { return key{group: t.Group, name: cmp.Or(t.Of, t.Name)} }

// An index holds the tests of a result for lookup.
type index struct {
	result.Result
	tests  map[key]result.Test
	order  []key                   // the keys of tests, in the order of the result
	shared map[key][]result.Status // by a name's first key, its statuses in the order of the result
	top    map[key]int             // by a name's first key, the highest number of its tests, and one more
	units  map[key][]key
	named  map[string][]key // the tests and units by name, a unit that is also a test twice
	groups map[string]bool
	broken []result.Test
}

func newIndex(r result.Result) index { return numberedIndex(r, nil) }

// numberedIndex is newIndex with other numbers for some of the tests that share a name.
func numberedIndex(r result.Result, numbers map[key]int) index {
	x := index{Result: r, tests: map[key]result.Test{}, shared: map[key][]result.Status{}, top: map[key]int{}}
	x.units, x.named, x.groups = map[key][]key{}, map[string][]key{}, map[string]bool{}
	for _, t := range r.Tests {
		if t.Broken != "" {
			x.broken = append(x.broken, t)
			continue
		}
		x.groups[t.Group] = true
		first := key{group: t.Group, name: t.Name}
		k, unit := first, unitOf(t)
		k.nth = len(x.shared[first])
		if n, other := numbers[k]; other {
			k.nth = n
		}
		x.shared[first], x.top[first] = append(x.shared[first], t.Status), max(x.top[first], k.nth+1)
		if x.units[unit] == nil {
			x.named[unit.name] = append(x.named[unit.name], unit)
		}
		x.tests[k], x.order = t, append(x.order, k)
		x.units[unit], x.named[k.name] = append(x.units[unit], k), append(x.named[k.name], k)
	}
	return x
}

// statusOf returns the status of a test, or an empty string if the result does not have it.
func (x index) statusOf(k key) result.Status { return x.tests[k].Status }

// countAll returns how many tests have the status s.
func (x index) countAll(s result.Status) (count int) {
	for _, t := range x.tests {
		if t.Status == s {
			count++
		}
	}
	return count
}

// countPassing returns how many tests of the unit pass.
func (x index) countPassing(unit key) int {
	n := 0
	for _, k := range x.units[unit] {
		if x.statusOf(k) == result.Passed {
			n++
		}
	}
	return n
}

// anyFailed reports whether one of the unit's tests failed.
func (x index) anyFailed(unit key) bool {
	return slices.ContainsFunc(x.units[unit], func(k key) bool { return x.statusOf(k) == result.Failed })
}

// brokenFor returns the entry for a group whose tests could not run. If no entry has the name of the group,
// it returns an entry that may be it under another name, because a runner may name what is broken in another
// way than its groups. ran is the result in which the tests of the group ran: what has tests there, or is
// broken there as well, is another group.
func (x index) brokenFor(group string, ran index) (result.Test, bool) {
	for _, b := range x.broken {
		if b.Group == group || strings.HasPrefix(group, b.Group+".") || strings.HasPrefix(group, b.Group+"::") {
			return b, true
		}
	}
	for _, b := range x.broken {
		if !ran.groups[b.Group] && !ran.wasBroken(b) {
			return b, true
		}
	}
	return result.Test{}, false
}

// wasBroken reports whether the group of b could not run in this result either.
func (x index) wasBroken(b result.Test) bool {
	return slices.ContainsFunc(x.broken, func(o result.Test) bool { return o.Group == b.Group })
}

// labelOf returns the name of a test for people: its name, with the group in front if two tests share the
// name.
func (x index) labelOf(k key) string {
	if slices.ContainsFunc(x.named[k.name], func(other key) bool { return other.group != k.group }) {
		return strings.TrimSpace(k.group + " " + k.name)
	}
	return k.name
}
