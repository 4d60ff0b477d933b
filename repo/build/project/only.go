package project

import (
	"regexp"
	"strings"
)

// Only returns the project with the tests of the given files and nothing else, without an end at the first
// failure. Runners that select by name run only the tests with these names; Go also shuffles them. The build
// stays for the kinds whose tests may need it. It returns false if the test command cannot be narrowed.
func (p Project) Only(files, names []string) (Project, bool) {
	m := nearCall.FindStringSubmatch(p.Test)
	if m == nil {
		return p, false
	}
	below := filesBelow(m[2], files)
	call := onlyLine(m[3], below, names)
	if call == "" {
		call = selectFiles(p.Kind, m[3], below, false)
	}
	if call == "" {
		call = selectCTests(m[3], names)
	}
	if call == "" || len(below) == 0 {
		return p, false
	}
	p.Test = m[1] + call
	p.Written = ""
	if p.Kind == "go" || p.Kind == "rust" { // the runners of these build what they test
		p.Build = ""
	}
	return p, true
}

var (
	pytestRun   = regexp.MustCompile(`^(?:python3 -m )?pytest(?: |$)`)
	unittestRun = regexp.MustCompile(`^python3 -m unittest(?: |$)`)
	cargoRun    = regexp.MustCompile(`^cargo test(?: --[\w-]+)*$`)
	goName      = regexp.MustCompile(`^(?:Test|Fuzz|Example)\w*$`)
	plainName   = regexp.MustCompile(`^\w+$`)
)

// onlyLine returns the call for those files and names, or an empty string if the runner is not known.
func onlyLine(call string, files, names []string) string {
	switch {
	case strings.HasPrefix(call, "go test "):
		return narrowGo(call, " -vet=off -count=1 -shuffle=on", files, cutNames(names, goName, "/"))
	case strings.Contains(call, "&& cd "):
		return "" // the files are below the first folder
	case pytestRun.MatchString(call):
		if plain := cutNames(names, plainName, "["); plain != nil {
			call += " -k " + shellQuote(strings.Join(plain, " or "))
		}
		return call + quoteAll(files)
	case unittestRun.MatchString(call) && !strings.Contains(call, " -k "):
		plain := cutNames(names, plainName, " ")
		for _, name := range plain {
			call += " -k " + name
		}
		if plain == nil {
			return ""
		}
		return call
	case cargoRun.MatchString(call):
		if len(names) == 0 {
			return ""
		}
		return call + " --" + quoteAll(names)
	}
	for _, r := range nearFlags {
		if r.call.MatchString(call) {
			return call + quoteAll(files)
		}
	}
	return ""
}

// cutNames returns each name up to the first end, such as a bracket before a test's case. It returns nil if
// one of them is not of that form.
func cutNames(names []string, form *regexp.Regexp, end string) []string {
	var out []string
	for _, name := range names {
		name, _, _ = strings.Cut(name, end)
		if !form.MatchString(name) {
			return nil
		}
		out = append(out, name)
	}
	return out
}
