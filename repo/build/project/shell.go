package project

import (
	"path"
	"regexp"
	"strings"
)

// shell is a project of shell scripts.
var shell = language{
	whole: true,
	kind:  "shell",
	find:  findShell,
	code:  regexp.MustCompile(`\.(?:sh|bash|bats|zsh|ksh)$`),
	loose: true,
}

var (
	batsFile    = regexp.MustCompile(`\.bats$`)
	shunitFile  = regexp.MustCompile(`(?:^|/)(?:test_[^/]*|[^/]*_test|tests?)\.sh$`)
	shunitCall  = regexp.MustCompile(`(?m)^\s*(?:\.|source)\s+\S*shunit2`)
	batsFolders = []string{"test", "tests", "spec", "."}
)

// findShell finds the tests of bats, and those that load shUnit2.
func findShell(t tree) Project {
	files := t.findFiles(batsFile)
	for _, folder := range batsFolders {
		for _, file := range files {
			if folder == "." || strings.HasPrefix(file, folder+"/") {
				if folder == "." {
					folder = path.Dir(file)
				}
				return Project{Kind: "shell", Test: "bats --tap -r " + shellQuote(folder)}
			}
		}
	}
	var tests []string
	for _, file := range t.findFiles(shunitFile) {
		if shunitCall.MatchString(t.readText(file)) {
			tests = append(tests, "sh "+shellQuote(file))
		}
	}
	if len(tests) == 0 {
		return Project{}
	}
	return Project{Kind: "shell", Test: strings.Join(tests, " && ")}
}
