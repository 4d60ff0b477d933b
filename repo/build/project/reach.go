package project

import (
	"io/fs"
	"path"
	"slices"
	"strings"
)

// The most sources that are read to find what a change can reach, and the most files, or folders in Go, that
// run first for it.
const (
	maxReachRead = 10_000
	maxReach     = 200
)

// ReachFirst is NearFirst with the tests that the change can reach: those that import the changed code,
// directly or through other code, as far as the sources tell. Parts.Reach is set then. If these are most of
// the tests, or none is known, the near tests are those of NearFirst.
func (p Project) ReachFirst(root fs.FS, changed []string) (Parts, bool) {
	m := nearCall.FindStringSubmatch(p.Test)
	if p.NearBy != "" || m == nil || root == nil {
		return p.NearFirst(root, changed)
	}
	reached, all := readSources(root, maxReachRead).Imports(p.Kind).testsReaching(changed)
	if len(reached) == 0 || 2*len(reached) > all || len(reached) > maxReach {
		return p.NearFirst(root, changed)
	}
	if strings.HasPrefix(m[3], "go test ") {
		folders := goFolders(path.Clean(strings.Trim(m[2], "'")), reached)
		near, rest := goParts(m[3], folders)
		if near == "" || len(folders) == 0 {
			return Parts{}, false
		}
		return Parts{Near: m[1] + near, Rest: m[1] + rest, Reach: true}, true
	}
	if narrowed, ok := p.Near(reached, nil); ok {
		return Parts{Near: narrowed.Test, Reach: true}, true
	}
	return p.NearFirst(root, changed)
}

// testsReaching returns the test files that import a changed file, directly or through others, with the
// changed ones. In Go it returns one file of each package with such tests. all is the number of test files,
// or of packages with tests.
func (i Imports) testsReaching(changed []string) (tests []string, all int) {
	reached := map[string]bool{}
	var queue []string
	reach := func(unit string) {
		if !reached[unit] {
			reached[unit] = true
			queue = append(queue, unit)
		}
	}
	inTests := map[string]bool{} // packages of Go of which only the tests are reached
	for _, file := range changed {
		if IsCase("go", file) {
			inTests[unitOf(file)] = true
		} else {
			reach(unitOf(file))
		}
	}
	for len(queue) > 0 {
		unit := queue[0]
		queue = queue[1:]
		for _, by := range i.by[unit] {
			if IsCase("go", by) {
				inTests[unitOf(by)] = true
			} else {
				reach(unitOf(by))
			}
		}
		if path.Base(unit) == "conftest.py" { // pytest loads it for all tests below
			for file := range i.sources {
				dir := path.Dir(unit)
				if IsCase("python", file) && (dir == "." || strings.HasPrefix(file, dir+"/")) {
					reached[file] = true
				}
			}
		}
	}
	counted := map[string]bool{}
	for file := range i.sources {
		unit := unitOf(file)
		if !IsCase(i.kind, file) || counted[unit] {
			continue
		}
		counted[unit] = true
		if reached[unit] || inTests[unit] {
			tests = append(tests, file)
		}
	}
	slices.Sort(tests)
	return tests, len(counted)
}
