package proof

import (
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/result"
)

// A key identifies a test within a result.
type key struct{ group, name string }

// unitOf returns the key of t, or of the test that t is a case of.
func unitOf(t result.Test) key {
	if t.Of != "" {
		return key{t.Group, t.Of}
	}
	return key{t.Group, t.Name}
}

// An index holds the tests of a result for lookup.
type index struct {
	result.Result
	tests  map[key]result.Test
	order  []key // the keys of tests, in the order of the result
	units  map[key][]key
	named  map[string][]key // the tests and units by name, a unit that is also a test twice
	groups map[string]bool
	broken []result.Test
}

func newIndex(r result.Result) index {
	x := index{Result: r, tests: map[key]result.Test{}, units: map[key][]key{}, named: map[string][]key{}, groups: map[string]bool{}}
	for _, t := range r.Tests {
		if t.Broken != "" {
			x.broken = append(x.broken, t)
			continue
		}
		x.groups[t.Group] = true
		before, twice := x.tests[key{t.Group, t.Name}]
		if twice && before.Status == result.Failed { // of two tests with one name a failed one counts
			continue
		}
		x.tests[key{t.Group, t.Name}] = t
		if !twice {
			k, unit := key{t.Group, t.Name}, unitOf(t)
			if x.units[unit] == nil {
				x.named[unit.name] = append(x.named[unit.name], unit)
			}
			x.order, x.units[unit], x.named[k.name] = append(x.order, k), append(x.units[unit], k), append(x.named[k.name], k)
		}
	}
	return x
}

// statusOf returns the status of a test, or an empty string if the result does not have it.
func (x index) statusOf(k key) result.Status { return x.tests[k].Status }

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

// movedTo reports whether a test that is gone exists under another group, where the base had no test of
// that name.
func (x index) movedTo(k key, base index) (key, bool) {
	for _, other := range x.named[k.name] {
		if other.group != k.group && x.statusOf(other) != "" && base.statusOf(other) == "" {
			return other, true
		}
	}
	return key{}, false
}
