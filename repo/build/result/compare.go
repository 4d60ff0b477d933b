package result

import (
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// A Name is what a runner calls a test. Several tests may share it, such as those of a class that is made
// three times.
type Name struct{ Group, Name string }

// CountByName returns how many tests of each name pass, fail and are skipped.
func CountByName(tests []Test) map[Name]Counts {
	out := map[Name]Counts{}
	for _, t := range tests {
		n := Name{t.Group, t.Name}
		c := out[n]
		c.Count(t.Status)
		out[n] = c
	}
	return out
}

// FailingSince returns the failing tests in two groups: those that do not fail on the base, and those that
// fail or could not run there, too. Of tests that share a name, as many count as failing already as fail on
// the base.
func (r Result) FailingSince(base Result) (fresh, already []Test) {
	before := CountByName(base.Tests)
	for _, t := range r.Tests {
		if t.Status != Failed {
			continue
		}
		n := Name{t.Group, t.Name}
		if c := before[n]; c.Failed > 0 {
			c.Failed--
			before[n] = c
			already = append(already, t)
		} else {
			fresh = append(fresh, t)
		}
	}
	return fresh, already
}

// FailsNear reports whether the tests that ran first decide the result: one fails that does not fail on the
// base, and the base has tests in other packages or files.
func (r Result) FailsNear(base Result) bool {
	ran := map[string]bool{}
	for _, t := range r.Tests {
		ran[t.Group] = true
	}
	fresh, _ := r.FailingSince(base)
	return len(fresh) > 0 && slices.ContainsFunc(base.Tests, func(t Test) bool { return !ran[t.Group] })
}

// FailsOnlyAs reports whether only tests fail that also fail on the base, and returns their names. It works
// for runners that name only the failing tests.
func (r Result) FailsOnlyAs(base Result) (already []string, only bool) {
	if !base.EveryFailureNamed() || !r.EveryFailureNamed() || r.Failed > base.Failed || r.Failed == 0 ||
		r.Stopped != "" {
		return nil, false
	}
	fresh, before := r.FailingSince(base)
	for _, t := range before {
		already = append(already, t.Name)
	}
	return already, len(fresh) == 0
}

// NamesSince returns a colon and the names of the tests that fail here and not on the base, or an empty
// string if there are none.
func (r Result) NamesSince(base Result, most int) string {
	fresh, _ := r.FailingSince(base)
	var names []string
	for _, t := range fresh {
		names = append(names, t.Name)
	}
	if len(names) == 0 {
		return ""
	}
	return ": " + plaintext.FirstOf(names, most)
}

// IsRepeatOf reports whether one of the texts holds every line of the output that is not empty or a #
// heading. A compiler prints the same errors for each package that imports a broken one.
func IsRepeatOf(texts []string, output string) bool {
	for _, text := range texts {
		lines := map[string]bool{}
		all := true
		for line := range strings.Lines(text) {
			lines[strings.TrimSpace(line)] = true
		}
		for line := range strings.Lines(output) {
			line = strings.TrimSpace(line)
			all = all && (line == "" || strings.HasPrefix(line, "# ") || lines[line])
		}
		if all && strings.TrimSpace(output) != "" {
			return true
		}
	}
	return false
}

// NotReached returns how many tests of the base have no result here, and the groups of the base, such as
// packages or files, of which no test has one. It tells what a limit kept from being run.
func (r Result) NotReached(base Result) (tests int, groups []string) {
	ran := CountByName(r.Tests)
	reached := map[string]bool{}
	for _, t := range r.Tests {
		reached[t.Group] = true
	}
	for _, t := range base.Tests {
		name := Name{t.Group, t.Name}
		if c := ran[name]; c.Sum() > 0 {
			c.take()
			ran[name] = c
			continue
		}
		tests++
		if t.Group != "" && !reached[t.Group] && !slices.Contains(groups, t.Group) {
			groups = append(groups, t.Group)
		}
	}
	return tests, groups
}

// take takes one test away.
func (c *Counts) take() {
	for _, n := range []*int{&c.Passed, &c.Failed, &c.Skipped} {
		if *n > 0 {
			*n--
			return
		}
	}
}

// RedSince reports whether the result fails in a way that the base does not. A command that was ended by a
// limit is not red for that.
func (r Result) RedSince(base Result) bool {
	fresh, already := r.FailingSince(base)
	stopped := r.StoppedByLimit()
	buildFails := r.BuildRan && !r.BuildOK && (base.BuildOK || !base.BuildRan) && (r.TestsRan || !stopped)
	return len(fresh) > 0 || buildFails || !stopped && !r.OK() && len(already) == 0
}
