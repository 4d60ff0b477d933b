package project

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project/internal/command"
)

var node = language{kind: "node", find: findNode, isTest: isNodeTest, code: nodeCode}

var nodeCode = regexp.MustCompile(`\.(?:[cm]?[jt]sx?|vue|svelte)$`)

var nodeTest = regexp.MustCompile(`\.(?:test|spec|e2e)\.[cm]?[jt]sx?$|(?:^|/)test\.[cm]?[jt]sx?$`)

func isNodeTest(file string, folders []string) bool {
	return nodeTest.MatchString(file) || containsAny(folders, "test", "tests", "__tests__", "__snapshots__",
		"__fixtures__", "fixtures", "__mocks__", "e2e")
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
		return p // the project's own tools will report what is wrong
	}
	manager := t.nodeManager()
	if manifest.Scripts["build"] != "" {
		p.Build = manager + " run build"
	}
	script := strings.TrimSpace(manifest.Scripts["test"])
	if script == "" {
		if named := t.named("node"); named.Test != "" {
			p.Test = named.Test
			p.From = named.From
			p.Written = named.Written
		} else if len(t.globFiles("*.test.js", "*.test.mjs", "*.test.cjs", "test/*.test.js",
			"test/*.test.mjs", "test/*.test.cjs")) > 0 {
			p.Test = "node --test"
		}
		return p
	}
	if !strings.Contains(script, "no test specified") {
		p.From = "package.json"
		p.setNodeTests(manager, manifest.Scripts)
	}
	return p
}

// nodePrograms puts the programs of the installed packages on the PATH, as npm does for scripts.
const nodePrograms = `export PATH="$PWD/node_modules/.bin:$PATH" && `

// withNodePrograms returns the project with a test command that may call the programs of its packages.
func (p Project) withNodePrograms() Project {
	p.Test = nodePrograms + p.Test
	if p.Written != "" {
		p.Written = nodePrograms + p.Written
	}
	return p
}

// setNodeTests sets the test command to the script "test", or to the runner inside the script if that gives
// more details.
func (p *Project) setNodeTests(manager string, scripts command.Scripts) {
	found, ok := command.InsideScript("test", scripts)
	whole := manager + " test"
	if ok && found.Kind != "node" { // npm only calls the runner of another language
		p.Kind = found.Kind
	}
	switch {
	case !ok || found.Alone && found.Flags == "":
		p.Test = whole
	case !found.Alone:
		p.Test = found.Line
		p.Written = found.Written
		*p = p.withNodePrograms()
	case manager == "npm":
		p.Test = whole + " -- " + found.Flags
		p.Written = whole
	default:
		p.Test = whole + " " + found.Flags
		p.Written = whole
	}
}

// nodeManager returns the package manager whose lock file exists. If there are several, it returns the one
// that the packages are fetched with.
func (t tree) nodeManager() string {
	for _, known := range [][2]string{
		{"pnpm-lock.yaml", "pnpm"},
		{"package-lock.json", "npm"},
		{"yarn.lock", "yarn"},
		{"bun.lock", "bun"},
		{"bun.lockb", "bun"},
	} {
		if t.hasFile(known[0]) {
			return known[1]
		}
	}
	return "npm"
}
