package testtrial

import (
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/repo/proof"
)

// askers match, by language, what asks whether the code runs under a test.
var askers = []struct{ files, asks *regexp.Regexp }{
	{regexp.MustCompile(`\.go$`), join(
		`\btesting\.(?:Testing|Short|Verbose|CoverMode)\b(?:\(\))?`,
		`\bflag\.Lookup\("test\.[^)]*\)`,
		`\bos\.(?:Getenv|LookupEnv)\("`+testVariable+`"\)`,
		`\bos\.Args\[0\].*"[^"]*\.?test\b[^"]*"|\.test".*\bos\.Args\[0\]|"-test\.`,
		`HasSuffix\([^)]*,\s*"\.test(?:\.exe)?"\)`,
	)},
	{regexp.MustCompile(`\.py$`), join(
		`['"](?:_?pytest|unittest)['"]\s+(?:not\s+)?in\s+sys\.modules`,
		`\bsys\.modules(?:\.get)?[\[(]\s*['"](?:_?pytest|unittest)['"]`,
		`\bsys\.(?:argv|orig_argv)\b.*['"][^'"]*(?:pytest|unittest)[^'"]*['"]`,
		`\bsys\.argv\[0\].*['"][^'"]*\btests?\b`,
		`['"][^'"]*(?:pytest|unittest)[^'"]*['"].*\bsys\.(?:argv|orig_argv)\b`,
		`\b(?:environ|getenv)\b.*['"]`+testVariable+`['"]`,
		`['"]`+testVariable+`['"]\s+(?:not\s+)?in\s+(?:os\.)?environ`,
		`['"]test['"]\s+(?:not\s+)?in\s+sys\.argv`,
		`\bsys\._called_from_test\b`,
	)},
	{regexp.MustCompile(`\.(?:[cm]?[jt]sx?|vue|svelte)$`), join(
		`\b(?:process|import\.meta)\.env(?:\?)?\.`+testVariable+`\b`,
		`\benv\[['"]`+testVariable+`['"]\]|['"]`+testVariable+`['"]\s+in\s+process\.env`,
		`(?i:\b(?:NODE_?ENV|MODE|env|environment)\b)['"\]]*\s*[!=]==?\s*['"]test(?:ing)?['"]`,
		`['"]test(?:ing)?['"]\s*[!=]==?\s*[\w.]*\b(?:NODE_ENV|MODE)\b`,
		`\[[^\]]*['"]test['"][^\]]*\]\.includes\([^)]*\b(?:NODE_ENV|MODE)\b`,
		`\b(?:JEST_WORKER_ID|VITEST_WORKER_ID|VITEST_POOL_ID|NODE_TEST_CONTEXT)\b`,
		`\btypeof\s+(?:(?:globalThis|global|window)\.)?(?:jest|vi|vitest|describe|it|expect)\)?\s*[!=]==?`,
		`\b(?:globalThis|global)\.(?:jest|vi|describe|it|expect)\b`,
		`\bprocess\.(?:argv|execArgv|argv0)\b.*['"/][^'"]*\b(?:test|jest|mocha|vitest)\b`,
		`\brequire\.main\b.*(?:test|jest|mocha)`,
	)},
	{regexp.MustCompile(`\.rs$`), join(
		`\bcfg!\(\s*(?:not\(\s*)?test\b[^)]*\)`,
		`#\[cfg\(\s*not\(\s*test\s*\)\s*\)\]`,
		`\benv::var(?:_os)?\("`+testVariable+`"\)`,
	)},
	{regexp.MustCompile(`\.rb$`), join(
		`\bdefined\?\(?\s*(?:::)?(?:RSpec|Minitest|Test::Unit)\b`, `\bRails\.env\.test\?`,
		`\bENV(?:\.fetch\()?\[?['"](?:RAILS_ENV|RACK_ENV)['"][\])]*\s*==\s*['"]test['"]`,
		`\bENV(?:\.fetch\(|\.key\?\(|\[)['"]`+testVariable+`['"]`,
	)},
	{regexp.MustCompile(`\.(?:p[lm])$`), join(
		`\$ENV\{['"]?(?:`+testVariable+`|HARNESS_\w+)['"]?\}`,
		`\$INC\{['"]Test/More\.pm['"]\}`,
	)},
	{regexp.MustCompile(`\.(?:sh|bash)$`), join(`\$\{?` + testVariable + `\b`)},
	{regexp.MustCompile(`\.(?:java|kt|scala|cs|php)$`), join(
		`\b(?:getenv|GetEnvironmentVariable|getProperty)\(['"]`+testVariable+`['"]\)`,
		`Class\.forName\("org\.(?:junit|testng)[^)]*\)`, `\bPHPUNIT_\w+`, `\brunningUnitTests\(\)`,
	)},
}

// testVariable matches the environment variables that runners set, or that people set for tests.
const testVariable = `(?:(?:GO|IS|IN|UNDER|RUNNING|UNIT)_?TESTS?(?:ING)?|TEST(?:ING|S)?|` +
	`TEST_(?:ENV|MODE|RUN)|\w+_(?:TESTING|UNDER_TEST|TEST_MODE)|` +
	`PYTEST_\w+|(?:JEST|VITEST|MOCHA|NEXTEST|NODE_TEST)(?:_\w+)?|HARNESS_ACTIVE|BATS_\w+)`

func join(patterns ...string) *regexp.Regexp { return regexp.MustCompile(strings.Join(patterns, "|")) }

// remark matches a line that is a comment.
var remark = regexp.MustCompile(`^\s*(?://|#[^\[!]|\*|/\*|--)`)

// settingsFile matches files that set up a tool, which may well be set up in another way for tests.
var settingsFile = regexp.MustCompile(`(?:^|/)[\w.-]+\.config\.[cm]?[jt]s$|` +
	`(?:^|/)(?:(?:setup|noxfile)\.py|Rakefile)$`)

// testAware returns the places at which the change adds code that asks whether a test runs. What it does
// otherwise is shown by no test.
func (x *trialRun) testAware() (out []proof.RejectedTest, err error) {
	gone := map[string]int{}
	added := map[string][]numbered{}
	for _, c := range x.changes {
		forTests := project.DecidesTests(x.Project.Kind, c.Path)
		if askerOf(c.Path) == nil || forTests || settingsFile.MatchString(c.Path) {
			continue
		}
		now, _, err := readSource(x.Work.Root(), c.Path)
		if err != nil {
			return nil, err
		}
		was, err := x.Checker.Cache.Mirror().Commits().ReadFile(x.Work.Base(), c.Path)
		if err != nil && c.Kind != "added" {
			return nil, fmt.Errorf("test trial: %s on the base: %w", c.Path, err)
		}
		if !project.UsesTestLibrary(string(was)) {
			added[c.Path] = changedLines(was, []byte(now), gone)
		}
	}
	for _, c := range x.changes {
		line, asked := findAsker(askerOf(c.Path), added[c.Path], gone)
		if line == 0 || project.ReadSources(x.Work.FS()).Imports(x.Project.Kind).HelpsTests(c.Path) {
			continue
		}
		place := fmt.Sprintf("%s:%d", c.Path, line)
		why := "asks whether a test runs (`" + asked + "`)"
		out = append(out, proof.RejectedTest{Code: true, Name: place, Why: why, Do: sameInTests})
	}
	return out, nil
}

// sameInTests is what to do about code that asks whether a test runs.
const sameInTests = "have the code do the same with and without a test, " +
	"and give a test what it needs by arguments"

func askerOf(file string) *regexp.Regexp {
	for _, a := range askers {
		if a.files.MatchString(path.Base(file)) {
			return a.asks
		}
	}
	return nil
}

// A numbered is a line of a file, from 1.
type numbered struct {
	line int
	text string
}

// changedLines returns the lines that a change of a file adds, and counts those that it takes out.
func changedLines(was, now []byte, gone map[string]int) (added []numbered) {
	old, lines, edits := diff.LineEdits(was, now)
	for _, e := range edits {
		for _, text := range old[e.Lo:e.Hi] {
			gone[strings.TrimSpace(text)]++
		}
		for j := e.NewLo; j < e.NewHi; j++ {
			added = append(added, numbered{j + 1, lines[j]})
		}
	}
	return added
}

// findAsker returns the first line that asks whether a test runs, and what it says. It returns 0 if there
// is none. A line that the change only moves, so that it is also gone elsewhere, is not new.
func findAsker(asks *regexp.Regexp, added []numbered, gone map[string]int) (line int, asked string) {
	for _, l := range added {
		text := strings.TrimSpace(l.text)
		at := asks.FindStringIndex(text)
		switch {
		case at == nil || remark.MatchString(text):
		case gone[text] > 0:
			gone[text]--
		default:
			return l.line, strings.ReplaceAll(text[at[0]:at[1]], "`", "'")
		}
	}
	return 0, ""
}
