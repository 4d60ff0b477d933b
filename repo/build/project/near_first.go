package project

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Parts are two test commands: one for the tests near a change, and one for the others. An empty Rest means
// that there is no command for the others alone, so all tests have to run.
type Parts struct {
	Near, Rest string
	// Reach is set if the near tests are those that the change can reach (ReachFirst).
	Reach bool
}

// maxNear is the most files, or folders in Go, that count as near. A larger change has no near tests.
const maxNear = 40

// NearFirst splits the tests in two parts. In Go the near tests are those of the packages with changed
// files; in other languages they are the changed test files and those with the name of a changed source
// file, and if there are none, those of the packages of a workspace with changed files and of the packages
// that depend on them. A pattern in NearBy makes the near tests. NearFirst returns false if the command
// cannot be split or no test or most tests are near.
func (p Project) NearFirst(root fs.FS, changed []string) (Parts, bool) {
	if p.NearBy != "" {
		line, ok := p.nearBy(root, changed)
		return Parts{Near: line}, ok
	}
	m := nearCall.FindStringSubmatch(p.Test)
	if m == nil {
		return Parts{}, false
	}
	start := path.Clean(strings.Trim(m[2], "'"))
	if strings.HasPrefix(m[3], "go test ") {
		folders := goFolders(start, changed)
		near, rest := goParts(m[3], folders)
		if near == "" || len(folders) == 0 || len(folders) > maxNear {
			return Parts{}, false
		}
		return Parts{Near: m[1] + near, Rest: m[1] + rest}, true
	}
	near, all := nearTestFiles(root, p.Kind, changed)
	if 2*len(near) <= all && len(near) <= maxNear {
		if narrowed, ok := p.Near(near, nil); ok {
			return Parts{Near: narrowed.Test}, true
		}
	}
	inPackages, rest := p.workspaceParts(root, start, m[3], changed)
	if inPackages == "" {
		return Parts{}, false
	}
	if rest != "" {
		rest = m[1] + rest
	}
	return Parts{Near: m[1] + inPackages, Rest: rest}, true
}

// nearBy returns the command of the pattern NearBy: for changed files of code, with {files} as the files and
// {packages} as the packages of the workspace that are near them; without root, the folders of the files. It
// returns false if nothing can be put in the place of one of them.
func (p Project) nearBy(root fs.FS, changed []string) (string, bool) {
	var files, packages []string
	for _, file := range changed {
		if IsCode(file) {
			files = append(files, file)
		}
	}
	if root != nil {
		for _, m := range membersNear((tree{FS: root}).members(p.Kind), files) {
			packages = append(packages, m.name)
		}
	}
	if len(packages) == 0 {
		packages = goFolders(".", files)
	}
	unknown := root == nil && p.Kind != "go" && strings.Contains(p.NearBy, "{packages}")
	if len(files) == 0 || len(files) > maxNear || unknown {
		return "", false
	}
	return strings.NewReplacer(" {files}", quoteAll(files), " {packages}", quoteAll(packages),
		"{files}", strings.TrimSpace(quoteAll(files)),
		"{packages}", strings.TrimSpace(quoteAll(packages))).Replace(p.NearBy), true
}

// goFolders returns the folders of the changed files as paths from start, the folder that the tests run in.
// Files outside start are left out. A file in testdata counts for the package around it.
func goFolders(start string, changed []string) []string {
	var out []string
	for _, file := range changed {
		folder := path.Dir(file)
		if before, _, inside := strings.Cut("/"+folder+"/", "/testdata/"); inside {
			folder = path.Clean("." + before)
		}
		if start != "." {
			below, inside := strings.CutPrefix(folder+"/", start+"/")
			if !inside {
				continue
			}
			folder = path.Clean(below)
		}
		if folder = "./" + folder; !slices.Contains(out, folder) {
			out = append(out, folder)
		}
	}
	return out
}

// goPartable matches a go test call whose flags keep their meaning if the packages are listed one by one.
// goTags matches the tags, which go list needs, too.
var (
	goPartable = regexp.MustCompile(
		`^go test(?: -(?:json|v|race|short|vet=off|(?:count|timeout|tags|p|parallel)[= ][\w.,]+|` +
			`skip '[\w^$()|]+'))*$`)
	goTags = regexp.MustCompile(` -tags[= ][\w.,]+`)
)

// goParts returns the test commands for the packages in folders and for the others. They list the packages
// when they run: if that fails, near tests nothing, and rest tests all.
func goParts(call string, folders []string) (near, rest string) {
	all := goAll.FindString(call)
	flags := strings.TrimSuffix(call, all)
	if all == "" || !goPartable.MatchString(flags) {
		return "", ""
	}
	list := "go list -e" + goTags.FindString(flags)
	these := fmt.Sprintf(`-e "$(%s%s 2>/dev/null)"`, list, quoteAll(folders))
	near = fmt.Sprintf(`near=$(%s%s 2>/dev/null | grep -xF %s); [ -z "$near" ] || %s $near`, list,
		all, these, flags)
	rest = fmt.Sprintf(`if all=$(%s%s 2>/dev/null); then rest=$(printf '%%s\n' "$all" | grep -vxF %s); `+
		`[ -z "$rest" ] || %s $rest; else %s; fi`, list, all, these, flags, call)
	return near, rest
}

// scripts match, by kind, the files in which a runner looks for tests.
var scripts = map[string]*regexp.Regexp{
	"node":   regexp.MustCompile(`\.[cm]?[jt]sx?$`),
	"python": pythonCase,
}

// besidesTests are folders of files that tests only use.
var besidesTests = []string{"fixtures", "__fixtures__", "__mocks__", "__snapshots__", "testdata"}

// nearTestFiles returns the changed test files and those with the name of a changed source file. all is the
// number of test files.
func nearTestFiles(root fs.FS, kind string, changed []string) (near []string, all int) {
	suffix := scripts[kind]
	if suffix == nil {
		suffix = cases[kind]
	}
	if suffix == nil || kind == "go" {
		return nil, 0
	}
	stems := map[string]bool{}
	for _, file := range changed {
		if !IsTest(kind, file) {
			stems[testStem(file)] = true
		}
	}
	for _, file := range (tree{FS: root}).findFiles(suffix) {
		if !IsTest(kind, file) || containsAny(strings.Split(path.Dir(file), "/"), besidesTests...) {
			continue
		}
		all++
		if stems[testStem(file)] || slices.Contains(changed, file) {
			near = append(near, file)
		}
	}
	return near, all
}

var aroundStem = regexp.MustCompile(
	`^test_|(?:_test|_spec|Tests?|TestCase|[.-](?:test|spec|e2e))?(?:\.[a-z]+)+$`)

// testStem returns the part of a file name that a source file and its tests share: cart for cart.ts,
// cart.test.ts and test_cart.py, Cart for Cart.php and CartTest.php.
func testStem(file string) string { return aroundStem.ReplaceAllString(path.Base(file), "") }
