package project

import "strings"

var makefile = language{kind: "make", find: findMake, whole: true}

func findMake(t tree) Project {
	var text string
	for _, name := range []string{"GNUmakefile", "makefile", "Makefile"} { // in make's order
		if text = t.readText(name); text != "" {
			break
		}
	}
	if text == "" {
		return Project{}
	}
	p := Project{Kind: "make"}
	targets := makeTargets(text)
	for _, name := range []string{"build", "all"} {
		if targets[name] {
			p.Build = "make " + name
			break
		}
	}
	for _, name := range []string{"test", "tests", "check"} {
		if targets[name] {
			p.Test = "make " + name
			break
		}
	}
	return p
}

// makeTargets returns the targets that a Makefile defines: "a b: c", not "a := b".
func makeTargets(text string) map[string]bool {
	targets := map[string]bool{}
	for line := range strings.Lines(text) {
		names, rest, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "\t") || strings.HasPrefix(rest, "=") ||
			strings.HasPrefix(rest, ":=") {
			continue
		}
		for _, name := range strings.Fields(names) {
			targets[name] = true
		}
	}
	return targets
}
