package build

import (
	"path"
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/result"
)

// A cause is how a program reports that something it needs is missing. The first group of the pattern is
// the name of the missing thing.
type cause struct {
	pattern *regexp.Regexp
	words   string // the text for people; NAME stands for the name
	shell   bool   // a shell prints it, and exits with code 127
}

// causes are tried in this order; within a cause the first matching line counts.
var causes = []cause{
	{
		regexp.MustCompile(
			`(?m)^\S+: (?:line )?(?:\d+: )?(?:eval: )?([\w@+][\w@./+-]*): (?:[Cc]ommand )?not found$`),
		"NAME is not installed", true,
	},
	{
		regexp.MustCompile(`(?m)^(?:make(?:\[\d+\])?|(?:/usr/bin/)?env): ['‘]?([\w@+][\w@./+-]*)['’]?: ` +
			`No such file or directory$`),
		"NAME is not installed", true,
	},
	{
		regexp.MustCompile(`(?m)^\S*python[\d.]*: No module named '?(\w[\w.]*)'?`),
		"the Python module NAME is not installed", false,
	},
	{
		regexp.MustCompile(`(?m)ModuleNotFoundError: No module named '(\w[\w.]*)'`),
		"the Python module NAME is not installed", false,
	},
	{
		regexp.MustCompile(`(?m)Cannot find (?:module|package) '(@?\w[^'\s]*)'`),
		"the package NAME is not installed", false,
	},
	{
		regexp.MustCompile(`(?m)(?:Preset|Module) (@?\w\S*)(?: in the \w+ option was)? not found`),
		"the package NAME is not installed", false,
	},
	{
		regexp.MustCompile(`(?m)no required module provides package ([^\s;:]+)`),
		"the Go package NAME is not there", false,
	},
	{
		regexp.MustCompile(`(?m)cannot find module providing package ([^\s;:]+)`),
		"the Go package NAME is not there", false,
	},
	{
		regexp.MustCompile(`(?m)missing go\.sum entry for (?:module providing package |go\.mod file; ` +
			`to add it:\s+go mod download )?([^\s;:]+)`),
		"the Go package NAME is not there", false,
	},
	{
		regexp.MustCompile(`(?m)(\S+@v\S+): (?:Get |module lookup disabled|dial tcp|reading )`),
		"the Go module NAME is not there", false,
	},
	{regexp.MustCompile(`(?m)requires go >= ([\d.]+)`), "Go NAME is not installed", false},
	{
		regexp.MustCompile("(?m)failed to (?:get|load source for dependency|download) `?([\\w-]+)`?"),
		"the crate NAME is not there", false,
	},
	{
		regexp.MustCompile(`(?m)\(you may need to install the (\w[\w:]*) module\)`),
		"the Perl module NAME is not installed", false,
	},
	{
		regexp.MustCompile(`(?m)^Could not find (\w[\w.-]*?)-\d[\w.]* in (?:any of the sources|locally)`),
		"the gem NAME is not installed", false,
	},
	{regexp.MustCompile(`(?m)^Could not find gem '(\w[\w.-]*)[ ']`), "the gem NAME is not installed", false},
	{
		regexp.MustCompile(`(?m)cannot load such file -- (\w[\w/.-]*) \(LoadError\)`),
		"the Ruby library NAME is not installed", false,
	},
	{
		regexp.MustCompile(
			`(?m)(?:Cannot open file|Failed opening(?: required)?|[Ff]ailed to open stream)[^\n]*?` +
				`\b(vendor/autoload\.php)\b`),
		"the packages of composer are not installed: there is no NAME", false,
	},
	{
		regexp.MustCompile(`(?m)^Could not find (Hex), which is needed`),
		"the package manager NAME of Elixir is not installed", false,
	},
	{
		regexp.MustCompile("(?m)no matching package named `([\\w-]+)` found"), "the crate NAME is not there",
		false,
	},
}

// maxName is the longest name of a missing thing, in bytes, that is reported.
const maxName = 100

// MissingIn returns in words which program or package the output of a failed command lacks, or an empty
// string if it names none: "the Perl module File::Next is not installed".
func MissingIn(output string) string { return outcome{text: output, code: 1}.missing() }

// missing returns in words what kept a command from starting, or an empty string if it failed in another
// way.
func (o outcome) missing() string {
	if o.code == 0 || o.stopped != "" {
		return ""
	}
	text := result.KeepEnds(result.StripTerminal(o.text), result.MaxText)
	for _, c := range causes {
		if c.shell && o.code != 127 && !strings.Contains(text, "127") {
			// make and npm run-all report the code as text
			continue
		}
		if m := c.pattern.FindStringSubmatch(text); m != nil && len(m[1]) <= maxName {
			return strings.Replace(c.words, "NAME", path.Clean(m[1]), 1)
		}
	}
	if o.code == 127 {
		return "a program that it calls is not installed"
	}
	return ""
}
