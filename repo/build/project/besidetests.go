package project

import (
	"bytes"
	"encoding/json"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// expected matches files that hold what tests expect, or that tests read.
var expected = regexp.MustCompile(`(?i)\.(?:golden|snap|snapshot|approved|expected|ambr)(?:\.[a-z0-9]+)?$|` +
	`(?:^|/)(?:testdata|__snapshots__|__fixtures__|snapshots|fixtures?|goldens?|golden[-_]?files|` +
	`expected|expectations)/`)

// testCode matches, beside IsTest, code that tests alone use, by its usual names.
var testCode = regexp.MustCompile(
	`(?i)(?:^|/)(?:(?:tests?|specs?)[-_.]?(?:utils?|utilities|help|helpers?|support|lib|cases?|base|` +
		`setup|fixtures?|asserts?|harness|kit|env)|` +
		`setup[-_.]?(?:tests?|jest|vitest)|(?:jest|vitest|mocha)[-_.](?:setup|teardown|env|environment|` +
		`global)[-_.a-z]*|` +
		`__mocks__|mocks|fakes|stubs|asserts?|assertions|matchers)(?:/|\.[a-z]+$)|[a-z]Tests?(?:Utils?|` +
		`Base|Support|Helpers?)\.[a-z]+$`,
)

// testSettings matches files that only decide which tests run and how.
var testSettings = regexp.MustCompile(
	`(?:^|/)(?:jest\.config\.[a-z]+|vitest\.(?:config|workspace)\.[a-z]+|\.mocharc(?:\.[a-z]+)?|` +
		`ava\.config\.[a-z]+|\.taprc|` +
		`karma\.conf\.[a-z]+|playwright\.config\.[a-z]+|\.?pytest\.(?:ini|toml)|conftest\.py|(?:site|` +
		`user)customize\.py|tox\.ini|noxfile\.py|\.proverc|\.rspec|phpunit\.xml(?:\.dist)?|` +
		`nextest\.toml|mocha\.opts|\.npmrc|node\.config\.json|\.env\.tests?)$`,
)

// sources matches code in any language.
var sources = regexp.MustCompile(
	`\.(?:go|pyx?|[cm]?[jt]sx?|vue|svelte|rs|rb|rake|pl|pm|t|xs|sh|bash|bats|java|kts?|scala|groovy|swift|` +
		`c|cc|cpp|cxx|h|hh|hpp|hxx|inl|ipp|mm|cu|php|phpt|exs?|erl|cs|fs|vb|dart|l?hs|zig)$`,
)

// IsCode reports whether the file is source code, by its name.
func IsCode(file string) bool { return sources.MatchString(file) }

// DecidesTests reports whether a file decides what tests expect, which of them run or how: a test, a helper
// of tests, a golden, snapshot or fixture file, or the settings of a runner.
func DecidesTests(kind, file string) bool {
	return IsTest(kind, file) || IsExpected(file) || testCode.MatchString(file) || SetsUpTests(file)
}

// testLibrary matches the import of a library that only tests and their helpers use.
var testLibrary = regexp.MustCompile(
	`(?m)^\s*(?:import )?(?:[._]|\w+)?\s*"(?:testing|github\.com/stretchr/testify/\w+|` +
		`gotest\.tools/\S+)"|^\s*(?:import|from) (?:pytest|unittest|hypothesis)\b|` +
		`(?:from |require\()['"](?:node:test|vitest|@jest/globals|chai|mocha|@playwright/test|` +
		`@testing-library/[\w-]+)['"]|^\s*use Test::\w+`,
)

// UsesTestLibrary reports whether a source file imports a library of tests, so that it is a helper of tests.
func UsesTestLibrary(text string) bool { return testLibrary.MatchString(text) }

// maxRead is how many source files are searched for the name of a file.
const maxRead = 2000

// ReadByTestsAlone reports whether tests name a data file and no other code does: it holds what they expect.
func ReadByTestsAlone(root fs.FS, kind, file string) bool {
	name := path.Base(file)
	t := tree{FS: root}
	tests := false
	looked := 0
	err := fs.WalkDir(root, ".", func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || looked > maxRead:
			return fs.ErrInvalid
		case d.IsDir() && at != "." &&
			(strings.HasPrefix(d.Name(), ".") || slices.Contains(foreign, d.Name())):
			return fs.SkipDir
		case d.IsDir() || !d.Type().IsRegular() || !IsCode(at):
			return nil
		}
		looked++
		if text := t.readText(at); !strings.Contains(text, name) {
			return nil
		} else if !DecidesTests(kind, at) && !UsesTestLibrary(text) {
			return fs.ErrExist
		}
		tests = true
		return nil
	})
	return err == nil && tests
}

// IsExpected reports whether a file holds what tests expect: a golden, snapshot or fixture file.
func IsExpected(file string) bool { return expected.MatchString(file) }

// SetsUpTests reports whether a file does nothing but decide which tests run, and how.
func SetsUpTests(file string) bool { return testSettings.MatchString(file) }

// IsTestData reports whether a file is neither code nor settings, by its name. A mock stands for code.
func IsTestData(file string) bool {
	return !IsCode(file) && !SetsUpTests(file) && !strings.Contains("/"+file, "/__mocks__/")
}

// IsManifest reports whether a file is what a package needs in order to be one.
func IsManifest(file string) bool {
	name := path.Base(file)
	return name == "package.json" || name == "Cargo.toml"
}

// HasTestSettings reports whether a file decides which tests run among other things, as package.json does.
func HasTestSettings(file string) bool { return settingsOf(file) != nil }

// SpliceTestSettings returns the newer version of a file with the test settings of the older one.
// HasTestSettings must be true for the file. It returns the newer version itself if these do not differ.
func SpliceTestSettings(file, older, newer string) string { return settingsOf(file)(older, newer) }

func settingsOf(file string) func(older, newer string) string {
	switch name := path.Base(file); name {
	case "package.json":
		return splicePackageJSON
	case "pyproject.toml", "setup.cfg":
		return func(older, newer string) string { return spliceSections(older, newer, pytestSection, nil) }
	case "Cargo.toml":
		return func(older, newer string) string {
			return spliceSections(older, newer, cargoSection, cargoLine)
		}
	case "Makefile", "makefile", "GNUmakefile", "Makefile.am", "justfile", "Justfile":
		return spliceRules
	case "vite.config.js", "vite.config.mjs", "vite.config.ts", "vite.config.mts":
		return func(older, newer string) string {
			if testBlock(older) == testBlock(newer) {
				return newer
			}
			return older
		}
	}
	return nil
}

// testBlock returns what follows the key "test" in the settings of vite.
func testBlock(text string) string {
	_, block, _ := strings.Cut(text, "test:")
	return block
}

// testKey matches the keys of a package.json, and testScript the names of its
// scripts, that decide about tests.
var (
	testKey    = regexp.MustCompile(`^(?:jest|mocha|vitest|ava|tap|nyc|c8)$`)
	testScript = regexp.MustCompile(`(?i)test|spec|check|unit|jest|vitest|mocha|^ci`)
)

func splicePackageJSON(older, newer string) string {
	var was, is map[string]any
	if older == "" {
		older = "{}"
	}
	if json.Unmarshal([]byte(older), &was) != nil || json.Unmarshal([]byte(newer), &is) != nil {
		return newer
	}
	changed := spliceKeys(was, is, testKey)
	wasScripts, _ := was["scripts"].(map[string]any)
	isScripts, _ := is["scripts"].(map[string]any)
	if isScripts == nil && wasScripts != nil {
		isScripts = map[string]any{}
		is["scripts"] = isScripts
	}
	// The scripts of a new package run none of the old tests.
	if (older == "{}" || !spliceKeys(wasScripts, isScripts, testScript)) && !changed {
		return newer
	}
	text, err := json.MarshalIndent(is, "", "  ")
	if err != nil {
		return newer
	}
	return string(text) + "\n"
}

// spliceKeys sets the matching keys of is to those of was, and reports whether any differed.
func spliceKeys(was, is map[string]any, match *regexp.Regexp) (changed bool) {
	for key, value := range was {
		if match.MatchString(key) && !sameJSON(value, is[key]) {
			is[key] = value
			changed = true
		}
	}
	for key := range is {
		if _, had := was[key]; !had && match.MatchString(key) {
			delete(is, key)
			changed = true
		}
	}
	return changed
}

func sameJSON(a, b any) bool {
	one, err := json.Marshal(a)
	other, err2 := json.Marshal(b)
	return err == nil && err2 == nil && bytes.Equal(one, other)
}

var (
	pytestSection = regexp.MustCompile(
		`^\[+\s*(?:tool[.:])?(?:pytest|tox|unittest|nose2?|testenv|hatch\.envs\.[\w-]*test|nox)`,
	)
	cargoSection = regexp.MustCompile(`^\[+\s*(?:test|profile\.test)\b`)
	cargoLine    = regexp.MustCompile(`^\s*(?:test|doctest|harness|autotests)\s*=`)
)

// spliceSections returns newer with the sections of older whose heads match, and with the lines of other
// sections that match line only where older has them.
func spliceSections(older, newer string, head, line *regexp.Regexp) string {
	was := sectionsOf(older)
	is := sectionsOf(newer)
	matches := func(s string) bool { return head.MatchString(s) }
	wasTests := slices.DeleteFunc(slices.Clone(was), func(s string) bool { return !matches(s) })
	isTests := slices.DeleteFunc(slices.Clone(is), func(s string) bool { return !matches(s) })
	others := slices.DeleteFunc(slices.Clone(is), matches)
	added := map[string]bool{}
	if line != nil {
		for text := range strings.Lines(strings.Join(others, "")) {
			if line.MatchString(text) && !strings.Contains(older, strings.TrimSpace(text)) {
				added[text] = true
			}
		}
	}
	if slices.Equal(trimAll(wasTests), trimAll(isTests)) && len(added) == 0 {
		return newer
	}
	var out strings.Builder
	for text := range strings.Lines(strings.Join(others, "")) {
		if !added[text] {
			out.WriteString(text)
		}
	}
	return strings.TrimRight(out.String(), "\n") + "\n\n" + strings.Join(wasTests, "")
}

func trimAll(texts []string) (out []string) {
	for _, t := range texts {
		out = append(out, strings.TrimSpace(t))
	}
	return out
}

// sectionsOf splits a TOML or INI file before each line that begins a section.
func sectionsOf(text string) (out []string) {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "[") || len(out) == 0 {
			out = append(out, "")
		}
		out[len(out)-1] += line
	}
	return out
}

// A rule is a rule or a variable of a Makefile, with the lines that belong to it.
type rule struct{ name, text string }

// testRule matches the names of rules and variables of a Makefile that decide about tests.
var testRule = regexp.MustCompile(`(?i)test|check|spec`)

// ruleName matches the beginning of a rule or of a variable.
var ruleName = regexp.MustCompile(`^([^\s:=+?][^:=+?]*?)\s*(?::|=|\+=|\?=)`)

// spliceRules returns the newer Makefile with the rules and variables about tests of the older one.
func spliceRules(older, newer string) string {
	was := rulesOf(older)
	is := rulesOf(newer)
	of := map[string][]rule{}
	for _, r := range was {
		if testRule.MatchString(r.name) {
			of[r.name] = append(of[r.name], r)
		}
	}
	var out strings.Builder
	changed := false
	for _, r := range is {
		if !testRule.MatchString(r.name) {
			out.WriteString(r.text)
			continue
		}
		before := of[r.name]
		if len(before) == 0 { // only the newer one has it
			changed = true
			continue
		}
		changed = changed || strings.TrimSpace(before[0].text) != strings.TrimSpace(r.text)
		out.WriteString(before[0].text)
		of[r.name] = before[1:]
	}
	for _, r := range was {
		if left := of[r.name]; len(left) > 0 && left[0] == r {
			out.WriteString("\n" + r.text)
			of[r.name] = left[1:]
			changed = true
		}
	}
	if !changed {
		return newer
	}
	return out.String()
}

func rulesOf(text string) (out []rule) {
	out = append(out, rule{})
	goesOn := false
	for line := range strings.Lines(text) {
		if m := ruleName.FindStringSubmatch(line); m != nil && !goesOn {
			out = append(out, rule{name: m[1]})
		}
		goesOn = strings.HasSuffix(strings.TrimRight(line, "\n"), `\`)
		out[len(out)-1].text += line
	}
	return out
}
