package project

import "regexp"

var haskell = language{
	kind:   "haskell",
	find:   findHaskell,
	isTest: isHaskellTest,
	code:   regexp.MustCompile(`\.(?:l?hs|hsc)$`),
}

func isHaskellTest(file string, folders []string) bool {
	return regexp.MustCompile(`(?:Spec|Tests?)\.hs$`).MatchString(file) ||
		containsAny(folders, "test", "tests", "spec")
}

// findHaskell finds packages of stack and of cabal.
func findHaskell(t tree) Project {
	switch {
	case t.hasFile("stack.yaml"):
		return Project{Kind: "haskell", Build: "stack build --test --no-run-tests", Test: "stack test"}
	case t.hasFile("cabal.project") || len(t.globFiles("*.cabal")) > 0:
		return Project{
			Kind:  "haskell",
			Build: "cabal build --offline --enable-tests all",
			Test:  "cabal test --offline --test-show-details=direct all",
		}
	}
	return Project{}
}
