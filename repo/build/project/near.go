package project

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project/internal/command"
)

// Near returns the project without a build, unless its tests are what the build makes, and with its tests
// narrowed to the given files and stopping at the first failure if the runner can. For Go it selects the
// packages of the files and, if names are given, the tests with these names. A pattern in NearBy is used as
// it is. Near returns false if the test command cannot be narrowed.
func (p Project) Near(files, names []string) (Project, bool) {
	if p.NearBy != "" {
		line, ok := p.nearBy(nil, files)
		p.Test = line
		p.Written = line
		return p, ok
	}
	m := nearCall.FindStringSubmatch(p.Test)
	if m == nil {
		return p, false
	}
	below := filesBelow(m[2], files)
	call := nearLine(m[3], below, names)
	if call == "" {
		call = selectFiles(p.Kind, m[3], below, true)
	}
	if call == "" {
		call = selectCTests(m[3], names)
	}
	if !slices.Contains(testsNeedBuild, p.Kind) {
		p.Build = ""
	}
	p.Test = m[1] + call
	return p, call != "" && len(below) > 0
}

// filesBelow returns the files in a folder, as paths from there. The folder may be
// quoted; an empty one is the top.
func filesBelow(folder string, files []string) []string {
	if folder == "" {
		return files
	}
	var below []string
	for _, file := range files {
		if at, inside := strings.CutPrefix(file, strings.Trim(folder, "'")+"/"); inside {
			below = append(below, at)
		}
	}
	return below
}

// nearCall matches one call of a runner, with a folder to start in and variables before it.
var nearCall = regexp.MustCompile(`^((?:cd ('[^']+'|[\w./-]+) && )?(?:export [A-Z_]+=\S+ && )?(?:` +
	regexp.QuoteMeta(command.JavaReports) + `)?)((?:[^;|<>']|'[^']*')+)$`)

// testsNeedBuild are the kinds whose runner does not build what it tests.
var testsNeedBuild = []string{"cmake", "perl"}

// nearFlags are the flags added to a runner's call before the files. The first entry whose pattern matches
// the call counts.
var nearFlags = []struct {
	call  *regexp.Regexp
	flags string
}{
	{regexp.MustCompile(`^(?:python3 -m )?pytest(?: |$)`), " -x"},
	{regexp.MustCompile(`^(?:(?:npm|pnpm|yarn|bun) test|jest|react-scripts test)\b.* --verbose$`), " --bail"},
	{regexp.MustCompile(`^(?:(?:npm|pnpm|yarn|bun) test|vitest)\b.* --reporter=verbose$`), " --bail=1"},
	{
		regexp.MustCompile(`^(?:(?:npm|pnpm|yarn|bun) test|mocha)\b.*` +
			regexp.QuoteMeta(command.MochaReport) + `$`),
		" --bail",
	},
	{regexp.MustCompile(`^node --test$`), ""},
}

// nearLine returns the call for those files, or an empty string if the runner is not known.
func nearLine(call string, files, names []string) string {
	if strings.HasPrefix(call, "go test ") {
		return nearGo(call, files, names)
	}
	if strings.Contains(call, "&& cd ") {
		return "" // the files are below the first folder
	}
	for _, r := range nearFlags {
		if r.call.MatchString(call) {
			return call + r.flags + quoteAll(files)
		}
	}
	return ""
}

// goAll matches the last word of a call if it means all packages.
var goAll = regexp.MustCompile(` (?:\./\.\.\.|\$\(go list [^)]*\))$`)

func nearGo(call string, files, names []string) string {
	return narrowGo(call, " -vet=off -failfast", files, names)
}

// narrowGo returns the call of go test for the packages of the files and the tests with these names, with
// more flags. It returns an empty string if the call is not one for all packages.
func narrowGo(call, more string, files, names []string) string {
	flags := goAll.ReplaceAllString(call, "")
	if flags == call || strings.Contains(flags, "&") {
		return ""
	}
	var folders []string
	for _, file := range files {
		folder := path.Dir(file)
		if folder != "." {
			folder = "./" + folder
		}
		if !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	flags += more
	if len(names) > 0 {
		flags += " -run " + shellQuote("^("+strings.Join(names, "|")+")$")
	}
	return flags + quoteAll(folders)
}

func quoteAll(words []string) (line string) {
	for _, w := range words {
		line += " " + shellQuote(w)
	}
	return line
}

func quotedAll(words []string) (out []string) {
	for _, w := range words {
		out = append(out, shellQuote(w))
	}
	return out
}
