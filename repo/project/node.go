package project

import (
	"encoding/json"
	"regexp"
	"strings"
)

var node = language{kind: "node", find: findNode, isTest: isNodeTest}

var nodeTest = regexp.MustCompile(`\.(?:test|spec|e2e)\.[cm]?[jt]sx?$|(?:^|/)test\.[cm]?[jt]sx?$`)

func isNodeTest(file string, folders []string) bool {
	return nodeTest.MatchString(file) || containsAny(folders, "test", "tests", "__tests__", "__snapshots__", "__fixtures__", "__mocks__", "e2e")
}

func findNode(t tree) Project {
	text := t.readText("package.json")
	if text == "" {
		return Project{}
	}
	var manifest struct {
		Scripts map[string]string `json:"scripts"`
	}
	p := Project{Kind: "node"}
	if json.Unmarshal([]byte(text), &manifest) != nil {
		return p // its own tools will say what is wrong with it
	}
	manager := t.nodeManager()
	if manifest.Scripts["build"] != "" {
		p.Build = manager + " run build"
	}
	script := strings.TrimSpace(manifest.Scripts["test"])
	switch {
	case script == "" && len(t.globFiles("*.test.js", "*.test.mjs", "*.test.cjs", "test/*.test.js", "test/*.test.mjs", "test/*.test.cjs")) > 0:
		p.Test = "node --test"
	case script != "" && !strings.Contains(script, "no test specified"):
		p.Test = manager + " test" + nodeFlags(manager, script)
	}
	return p
}

// nodeManager is the package manager whose lock file is there.
func (t tree) nodeManager() string {
	for _, known := range [][2]string{{"pnpm-lock.yaml", "pnpm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"}} {
		if t.hasFile(known[0]) {
			return known[1]
		}
	}
	return "npm"
}

// oneCommand is a script to which a flag can be added at the end.
var oneCommand = regexp.MustCompile(`^[^&|;<>()$` + "`" + `]*$`)

// nodeFlags makes a runner name each of its tests, which some do only when asked.
func nodeFlags(manager, script string) string {
	words := strings.Fields(script)
	for len(words) > 0 && (strings.Contains(words[0], "=") || words[0] == "cross-env" || words[0] == "npx") {
		words = words[1:]
	}
	if len(words) == 0 || !oneCommand.MatchString(script) || strings.Contains(script, "report") {
		return ""
	}
	flag := ""
	switch words[0] {
	case "jest":
		flag = "--verbose"
	case "vitest":
		flag = "--reporter=verbose"
		if len(words) == 1 || words[1] != "run" && words[1] != "--run" {
			flag = "--run " + flag // not to wait for changes
		}
	default:
		return ""
	}
	if manager == "npm" {
		return " -- " + flag
	}
	return " " + flag
}
