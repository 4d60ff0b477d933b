package result

import (
	"slices"
	"strings"
)

// FailingSince are the tests that fail here, apart: those that do not fail on the base, and
// those that fail there already, or could not run.
func (r Result) FailingSince(base Result) (fresh, already []Test) {
	type key struct{ group, name string }
	before := map[key]bool{}
	for _, t := range base.Tests {
		if t.Status == Failed {
			before[key{t.Group, t.Name}] = true
		}
	}
	for _, t := range r.Tests {
		switch {
		case t.Status != Failed:
		case before[key{t.Group, t.Name}]:
			already = append(already, t)
		default:
			fresh = append(fresh, t)
		}
	}
	return fresh, already
}

// FailsNear reports whether what was run first settles it: a test fails that does not fail on the
// base, and the base has tests in other packages or files.
func (r Result) FailsNear(base Result) bool {
	ran := map[string]bool{}
	for _, t := range r.Tests {
		ran[t.Group] = true
	}
	fresh, _ := r.FailingSince(base)
	return len(fresh) > 0 && slices.ContainsFunc(base.Tests, func(t Test) bool { return !ran[t.Group] })
}

// FailsOnlyAs reports whether nothing fails but what fails on the base, too, and names it. Runners
// that name no test that passes do name each one that fails.
func (r Result) FailsOnlyAs(base Result) (already []string, only bool) {
	if !base.EveryFailureNamed() || !r.EveryFailureNamed() || r.Failed > base.Failed || r.Failed == 0 || r.Stopped != "" {
		return nil, false
	}
	fresh, before := r.FailingSince(base)
	for _, t := range before {
		already = append(already, t.Name)
	}
	return already, len(fresh) == 0
}

// NamesSince names, behind a colon, the tests that fail here and not on the base; empty where none
// is named.
func (r Result) NamesSince(base Result, most int) string {
	fresh, _ := r.FailingSince(base)
	var names []string
	for _, t := range fresh {
		names = append(names, t.Name)
	}
	if len(names) == 0 {
		return ""
	}
	return ": " + ListNames(names, most)
}

// Told reports whether one of the texts has every line that says something of the output: a
// compiler says the same of each package that needs a broken one.
func Told(texts []string, output string) bool {
	for _, text := range texts {
		lines, all := map[string]bool{}, true
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

// RedSince reports whether a result fails, and not only as the base does.
func (r Result) RedSince(base Result) bool {
	fresh, already := r.FailingSince(base)
	return len(fresh) > 0 || !r.OK() && len(already) == 0 || r.BuildRan && !r.BuildOK && (base.BuildOK || !base.BuildRan)
}
