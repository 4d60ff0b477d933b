package project

import "regexp"

// zig keeps tests in the files that they test.
var zig = language{kind: "zig", find: findZig, code: regexp.MustCompile(`\.(?:zig|zon)$`)}

func findZig(t tree) Project {
	if !t.hasFile("build.zig") {
		return Project{}
	}
	return Project{Kind: "zig", Build: "zig build", Test: "zig build test --summary all"}
}
