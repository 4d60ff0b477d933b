package project

import "regexp"

var meson = language{kind: "meson", find: findMeson, isTest: isCTest, code: cCode, whole: true}

var (
	mesonFile  = regexp.MustCompile(`(?:^|/)meson\.build$`)
	mesonTests = regexp.MustCompile(`(?m)^\s*test\s*\(`)
)

func findMeson(t tree) Project {
	if !t.hasFile("meson.build") {
		return Project{}
	}
	p := Project{Kind: "meson", Build: "meson setup build && meson compile -C build"}
	for _, file := range t.findFiles(mesonFile) {
		if mesonTests.MatchString(t.readText(file)) {
			p.Test = "meson test -C build --print-errorlogs"
			return p
		}
	}
	return p
}
