package project

import "regexp"

var swift = language{
	kind:   "swift",
	find:   findSwift,
	isTest: isSwiftTest,
	code:   regexp.MustCompile(`\.(?:swift|m|mm)$`),
}

func isSwiftTest(file string, folders []string) bool {
	return containsAny(folders, "Tests") || regexp.MustCompile(`Tests?\.swift$`).MatchString(file)
}

func findSwift(t tree) Project {
	if !t.hasFile("Package.swift") {
		return Project{}
	}
	p := Project{Kind: "swift", Build: "swift build --build-tests"}
	if t.hasDir("Tests") {
		p.Test = "swift test"
	}
	return p
}
