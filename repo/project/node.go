package project

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/project/command"
)

var node = language{kind: "node", find: findNode, isTest: isNodeTest}

var nodeTest = regexp.MustCompile(`\.(?:test|spec|e2e)\.[cm]?[jt]sx?$|(?:^|/)test\.[cm]?[jt]sx?$`)

func isNodeTest(file string, folders []string) bool {
	return nodeTest.MatchString(file) || containsAny(folders, "test", "tests", "__tests__", "__snapshots__", "__fixtures__", "fixtures", "__mocks__", "e2e")
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
	if script == "" {
		if named := t.named("node"); named.Test != "" {
			p.Test, p.From = named.Test, named.From
		} else if len(t.globFiles("*.test.js", "*.test.mjs", "*.test.cjs", "test/*.test.js", "test/*.test.mjs", "test/*.test.cjs")) > 0 {
			p.Test = "node --test"
		}
		return p
	}
	if !strings.Contains(script, "no test specified") {
		p.Test, p.From = nodeTests(manager, manifest.Scripts), "package.json"
	}
	return p
}

// nodePrograms begins a command that calls programs of the packages, as npm's scripts may.
const nodePrograms = `export PATH="$PWD/node_modules/.bin:$PATH" && `

// nodeTests is the script "test", or the runner inside it where that says more.
func nodeTests(manager string, scripts command.Scripts) string {
	found, ok := command.InsideScript("test", scripts)
	whole := manager + " test"
	switch {
	case !ok || found.Alone && found.Flags == "":
		return whole
	case !found.Alone:
		return nodePrograms + found.Line
	case manager == "npm":
		return whole + " -- " + found.Flags
	}
	return whole + " " + found.Flags
}

// nodeManager is the package manager whose lock file is there; of several, the one that the
// packages are fetched with.
func (t tree) nodeManager() string {
	for _, known := range [][2]string{{"pnpm-lock.yaml", "pnpm"}, {"package-lock.json", "npm"}, {"yarn.lock", "yarn"}, {"bun.lock", "bun"}, {"bun.lockb", "bun"}} {
		if t.hasFile(known[0]) {
			return known[1]
		}
	}
	return "npm"
}
