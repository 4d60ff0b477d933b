package project

import "github.com/bobbinhq/bobbin/repo/build/project/internal/command"

// deno runs JavaScript and TypeScript. Bun is a package manager of node here.
var deno = language{kind: "deno", find: findDeno, isTest: isNodeTest, code: nodeCode}

func findDeno(t tree) Project {
	if !t.hasFile("deno.json") && !t.hasFile("deno.jsonc") {
		return Project{}
	}
	return Project{
		Kind:    "deno",
		Test:    "deno test -A " + command.DenoReport,
		Written: "deno test -A",
	}
}
