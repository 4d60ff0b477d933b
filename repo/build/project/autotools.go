package project

import "regexp"

var autotools = language{kind: "autotools", find: findAutotools, isTest: isCTest, code: cCode, whole: true}

var (
	automakeFile  = regexp.MustCompile(`(?:^|/)(?:Makefile\.(?:am|in)|[^/]*\.mk)$`)
	automakeTests = regexp.MustCompile(`(?m)^(?:TESTS\s*\+?=|check(?:-local)?:)`)
)

// findAutotools finds a project with a configure script or what makes it.
func findAutotools(t tree) Project {
	ready := t.hasFile("configure")
	if !ready && !t.hasFile("configure.ac") && !t.hasFile("configure.in") {
		return Project{}
	}
	prepare := "autoreconf -fi && "
	switch {
	case ready:
		prepare = ""
	case t.hasFile("autogen.sh"): // some run configure, too, which does no harm
		prepare = "NOCONFIGURE=1 sh ./autogen.sh && "
	}
	p := Project{Kind: "autotools", Build: prepare + `./configure && make -j"$(nproc)"`}
	for _, file := range t.findFiles(automakeFile) {
		if automakeTests.MatchString(t.readText(file)) {
			p.Test = "make check"
			return p
		}
	}
	return p
}
