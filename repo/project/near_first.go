package project

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Parts are a project's tests as two command lines: those near a change, and the others. An
// empty Rest stands for all, those near the change once more.
type Parts struct{ Near, Rest string }

// mostNear is how many files, or folders of Go, are near; a larger change is not near anything.
const mostNear = 40

// NearFirst are the tests in two parts: in Go the packages that hold the changed files, elsewhere
// the changed test files and those that are named as a changed source is. False: the command
// cannot be parted so, or there is little that is not near.
func (p Project) NearFirst(root fs.FS, changed []string) (Parts, bool) {
	m := nearCall.FindStringSubmatch(p.Test)
	if m == nil {
		return Parts{}, false
	}
	start := path.Clean(strings.Trim(m[2], "'"))
	if strings.HasPrefix(m[3], "go test ") {
		folders := goFolders(start, changed)
		near, rest := goParts(m[3], folders)
		if near == "" || len(folders) == 0 || len(folders) > mostNear {
			return Parts{}, false
		}
		return Parts{Near: m[1] + near, Rest: m[1] + rest}, true
	}
	near, all := nearTestFiles(root, p.Kind, changed)
	if 2*len(near) > all || len(near) > mostNear {
		return Parts{}, false
	}
	narrowed, ok := p.Near(near, nil)
	return Parts{Near: narrowed.Test}, ok
}

// goFolders are the folders, below the one that tests are run from, that changed files may be
// packages of Go in.
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

// The flags of go test that change nothing when the packages are named one by one; go list has to
// be told the tags, too.
var (
	goPartable = regexp.MustCompile(`^go test(?: -(?:json|v|race|short|vet=off|(?:count|timeout|tags|p|parallel)[= ][\w.,]+))*$`)
	goTags     = regexp.MustCompile(` -tags[= ][\w.,]+`)
)

// goParts names the packages that the call tests, near ones and others. Where they cannot be
// listed there is nothing near, and the rest is all.
func goParts(call string, folders []string) (near, rest string) {
	all := goAll.FindString(call)
	flags := strings.TrimSuffix(call, all)
	if all == "" || !goPartable.MatchString(flags) {
		return "", ""
	}
	list := "go list -e" + goTags.FindString(flags)
	these := fmt.Sprintf(`-e "$(%s%s 2>/dev/null)"`, list, quoteAll(folders))
	near = fmt.Sprintf(`near=$(%s%s 2>/dev/null | grep -xF %s); [ -z "$near" ] || %s $near`, list, all, these, flags)
	rest = fmt.Sprintf(`if all=$(%s%s 2>/dev/null); then rest=$(printf '%%s\n' "$all" | grep -vxF %s); [ -z "$rest" ] || %s $rest; else %s; fi`, list, all, these, flags, call)
	return near, rest
}

// scripts are the files in which a runner of a kind looks for tests, by their suffix.
var scripts = map[string]*regexp.Regexp{
	"node":   regexp.MustCompile(`\.[cm]?[jt]sx?$`),
	"python": pythonCase,
}

// besidesTests are folders of what tests only use.
var besidesTests = []string{"fixtures", "__fixtures__", "__mocks__", "__snapshots__", "testdata"}

// nearTestFiles are the test files that changed, and those named as a changed source is; all is how
// many test files there are.
func nearTestFiles(root fs.FS, kind string, changed []string) (near []string, all int) {
	suffix := scripts[kind]
	if suffix == nil {
		return nil, 0
	}
	stems := map[string]bool{}
	for _, file := range changed {
		if !IsTest(kind, file) {
			stems[testStem(file)] = true
		}
	}
	for _, file := range (tree{root}).findFiles(suffix) {
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

var aroundStem = regexp.MustCompile(`^test_|(?:_test|[.-](?:test|spec|e2e))?(?:\.[a-z]+)+$`)

// testStem is what a source and its tests share of their names: cart of cart.ts, cart.test.ts and
// test_cart.py.
func testStem(file string) string { return aroundStem.ReplaceAllString(path.Base(file), "") }
