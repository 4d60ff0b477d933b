package project

import (
	"slices"
	"strings"
)

var golang = language{kind: "go", find: findGo, isTest: isGoTest}

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
		!strings.HasSuffix(file, ".go") && containsAny(folders, "_test", "_tests", "fixtures") // files that tests read
}
