package osv

import (
	"cmp"
	"slices"
	"strings"

	"deps.dev/util/semver"
)

// A Verdict is whether a version is affected.
type Verdict struct {
	Affected bool
	// Unknown is set if that cannot be told: the ecosystem's versions are not compared here, a version cannot
	// be read, or the advisory names commits alone.
	Unknown bool
	Fixed   string // the first version after it that is fixed; empty: none is known
}

// systems are the orders of versions by the name of the ecosystem.
var systems = map[string]semver.System{
	"Go": semver.Go, "npm": semver.NPM, "PyPI": semver.PyPI, "crates.io": semver.Cargo,
	"RubyGems": semver.RubyGems,
}

// Ecosystem returns the name of an ecosystem without what follows it, as in "Debian:12".
func Ecosystem(name string) string {
	name, _, _ = strings.Cut(name, ":")
	return name
}

// Compare says whether a version of the package is affected.
func (a Affected) Compare(version string) Verdict {
	if slices.Contains(a.Versions, version) || slices.Contains(a.Versions, strings.TrimPrefix(version, "v")) {
		return Verdict{Affected: true, Fixed: a.firstFixed(version)}
	}
	compared := len(a.Versions) > 0
	failed := false
	for _, r := range a.Ranges {
		if r.Type == "GIT" {
			continue
		}
		in, ok := r.holds(Ecosystem(a.Package.Ecosystem), version)
		compared = compared || ok
		failed = failed || !ok
		if in {
			return Verdict{Affected: true, Fixed: a.firstFixed(version)}
		}
	}
	return Verdict{Unknown: failed || !compared}
}

// parsed returns a version, or nil if it cannot be read.
func parsed(ecosystem, version string) *semver.Version {
	system, known := systems[ecosystem]
	if !known || len(version) > 200 {
		return nil
	}
	if ecosystem == "Go" {
		version = "v" + strings.TrimPrefix(version, "v")
	}
	v, err := system.Parse(version)
	if err != nil {
		return nil
	}
	return v
}

// An edge is an event at a version, in the order of versions. A nil version is before all others.
type edge struct {
	at    *semver.Version
	event Event
}

// holds reports whether a version is in the range; ok is false if that cannot be told.
func (r Range) holds(ecosystem, version string) (in, ok bool) {
	v := parsed(ecosystem, version)
	if v == nil {
		return false, false
	}
	var edges []edge
	for _, e := range r.Events {
		text := cmp.Or(e.Introduced, e.Fixed, e.LastAffected)
		if text == "" {
			continue // a limit, which is of commits
		}
		at := parsed(ecosystem, text)
		if at == nil && e.Introduced != "0" {
			return false, false
		}
		if e.Introduced == "0" {
			at = nil
		}
		edges = append(edges, edge{at, e})
	}
	slices.SortStableFunc(edges, func(a, b edge) int {
		switch {
		case a.at == nil || b.at == nil:
			return cmp.Compare(rank(a), rank(b))
		default:
			return a.at.Compare(b.at)
		}
	})
	for _, e := range edges {
		order := 1
		if e.at != nil {
			order = v.Compare(e.at)
		}
		switch {
		case e.event.Introduced != "" && order >= 0:
			in = true
		case e.event.Fixed != "" && order >= 0, e.event.LastAffected != "" && order > 0:
			in = false
		}
	}
	return in, len(edges) > 0
}

// rank is 0 for the beginning of all versions, else 1.
func rank(e edge) int {
	if e.at == nil {
		return 0
	}
	return 1
}

// FixedVersions returns the versions that the advisory names as fixed.
func (a Affected) FixedVersions() (fixed []string) {
	for _, r := range a.Ranges {
		for _, e := range r.Events {
			if r.Type != "GIT" && e.Fixed != "" && !slices.Contains(fixed, e.Fixed) {
				fixed = append(fixed, e.Fixed)
			}
		}
	}
	return fixed
}

// firstFixed returns the first fixed version after a version.
func (a Affected) firstFixed(version string) (first string) {
	ecosystem := Ecosystem(a.Package.Ecosystem)
	v := parsed(ecosystem, version)
	var least *semver.Version
	for _, text := range a.FixedVersions() {
		at := parsed(ecosystem, text)
		if v == nil || at == nil || at.Compare(v) <= 0 || least != nil && at.Compare(least) >= 0 {
			continue
		}
		least = at
		first = text
	}
	return first
}

// String returns the ranges in a few words: ">= 1.0.0, < 1.2.3; >= 2.0.0, < 2.0.1".
func (a Affected) String() string {
	var all []string
	for _, r := range a.Ranges {
		if r.Type == "GIT" {
			continue
		}
		var part []string
		flush := func() {
			if len(part) > 0 {
				all = append(all, strings.Join(part, ", "))
			}
			part = nil
		}
		for _, e := range r.Events {
			switch {
			case e.Introduced != "":
				flush()
				part = append(part, ">= "+e.Introduced)
			case e.Fixed != "":
				part = append(part, "< "+e.Fixed)
			case e.LastAffected != "":
				part = append(part, "<= "+e.LastAffected)
			}
		}
		flush()
	}
	return strings.Join(all, "; ")
}
