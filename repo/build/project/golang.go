package project

import (
	"regexp"
	"slices"
	"strings"
)

var golang = language{kind: "go", find: findGo, isTest: isGoTest, code: regexp.MustCompile(`\.go$`)}

func findGo(t tree) Project {
	switch {
	case t.hasFile("go.work"):
		// At the top of a workspace ./... matches no package.
		all := "$(go list -m -f '{{.Dir}}/...')"
		return Project{Kind: "go", Build: "go build " + all, Test: "go test -json " + all}
	case t.hasFile("go.mod"):
		return Project{Kind: "go", Build: "go build ./...", Test: "go test -json ./..."}
	}
	return Project{}
}

func isGoTest(file string, folders []string) bool {
	return strings.HasSuffix(file, "_test.go") || slices.Contains(folders, "testdata") ||
		// files that tests read
		!strings.HasSuffix(file, ".go") && containsAny(folders, "_test", "_tests", "fixtures")
}
