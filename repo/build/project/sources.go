package project

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Sources are the source files of a tree by path, with its go.mod files.
type Sources map[string]string

// maxSource is the most bytes of a source that are searched for imports.
const maxSource = 1 << 18

// ReadSources returns the sources of a tree. It returns none if there are more than maxRead.
func ReadSources(root fs.FS) Sources { return readSources(root, maxRead) }

func readSources(root fs.FS, most int) Sources {
	found := Sources{}
	t := tree{FS: root}
	err := fs.WalkDir(root, ".", func(at string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || len(found) > most:
			return fs.ErrInvalid
		case d.IsDir() && at != "." && isForeign(d.Name()):
			return fs.SkipDir
		case d.Type().IsRegular() && (IsCode(at) || d.Name() == "go.mod"):
			text := t.readText(at)
			found[at] = text[:min(len(text), maxSource)]
		}
		return nil
	})
	if err != nil {
		return Sources{}
	}
	return found
}

// isForeign reports whether a folder of that name has no code of the project. Go's testdata has code that
// tests import.
func isForeign(name string) bool {
	return strings.HasPrefix(name, ".") || name != "testdata" && slices.Contains(foreign, name)
}

// Imports are the files that import each package of Go, and each file of another language, by the folder of
// the package or by the path of the file.
type Imports struct {
	kind    string
	sources Sources
	by      map[string][]string // the importing files
	of      map[string][]string // what a package or a file imports of the tree
}

// Imports reads which source imports which.
func (s Sources) Imports(kind string) Imports {
	i := Imports{kind, s, map[string][]string{}, map[string][]string{}}
	ends := map[string][]string{} // the files by the last part of the name that they are imported by
	modules := map[string]string{}
	for file, text := range s {
		if path.Base(file) == "go.mod" {
			if m := goModule.FindStringSubmatch(text); m != nil {
				modules[m[1]] = path.Dir(file)
			}
			continue
		}
		ends[path.Base(importName(file))] = append(ends[path.Base(importName(file))], file)
	}
	for file, text := range s {
		for _, unit := range unitsIn(file, text, modules, ends) {
			if unit != unitOf(file) {
				i.by[unit] = append(i.by[unit], file)
				i.of[unitOf(file)] = append(i.of[unitOf(file)], unit)
			}
		}
	}
	return i
}

// unitOf returns what is imported as one: the package of a Go file, and the file itself in other languages.
func unitOf(file string) string {
	if path.Ext(file) == ".go" {
		return path.Dir(file)
	}
	return file
}

var (
	goModule     = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)
	quotedText   = regexp.MustCompile(`"([\w./~-]+)"`)
	pythonImport = regexp.MustCompile(`(?m)^\s*(?:from\s+([.\w]+)\s+import\s+(\([^)]*\)|[^\n#]*)|` +
		`import\s+([^\n#]+))|import_module\(\s*['"]([.\w]+)`)
	scriptImport = regexp.MustCompile("['\"`]((?:\\.{1,2}|[@~])/[^'\"`\\n]+)['\"`]")
	otherImport  = regexp.MustCompile(`(?m)^\s*(?:require|require_relative|use|load)\b[\s('"]+([\w:./-]+)`)
	dottedName   = regexp.MustCompile(`[.\w]+`)
	endings      = regexp.MustCompile(`(?:/(?:__init__|index))?\.[a-z]+$`)
)

// importName returns the path of a file as imports have it: without its ending, and of a folder's main file
// the folder.
func importName(file string) string { return endings.ReplaceAllString(file, "") }

// unitsIn returns what a source imports of the tree.
func unitsIn(file, text string, modules map[string]string, ends map[string][]string) (units []string) {
	var names []string // by the end of their path
	switch ext := path.Ext(file); {
	case ext == ".go":
		for _, m := range quotedText.FindAllStringSubmatch(text, -1) {
			for module, folder := range modules {
				if below, ok := strings.CutPrefix(m[1]+"/", module+"/"); ok {
					units = append(units, path.Join(folder, below))
				}
			}
		}
		return units
	case ext == ".py":
		names = pythonNames(text)
	case script.MatchString(file):
		for _, m := range scriptImport.FindAllStringSubmatch(text, -1) {
			if strings.HasPrefix(m[1], ".") {
				names = append(names, "/"+path.Join(path.Dir(file), m[1]))
			} else {
				names = append(names, m[1][2:])
			}
		}
	default:
		for _, m := range otherImport.FindAllStringSubmatch(text, -1) {
			names = append(names, path.Clean(strings.ReplaceAll(m[1], "::", "/")))
		}
	}
	for _, name := range names {
		for _, known := range []string{name, importName(name)} {
			for _, other := range ends[path.Base(known)] {
				end := "/" + strings.TrimPrefix(known, "/")
				if sameLanguage(file, other) && strings.HasSuffix("/"+importName(other), end) {
					units = append(units, other)
				}
			}
		}
	}
	return units
}

// script matches the files of JavaScript and TypeScript, perl those of Perl.
var (
	script = regexp.MustCompile(`\.[cm]?[jt]sx?$`)
	perl   = regexp.MustCompile(`\.(?:pl|pm|t)$`)
)

func sameLanguage(a, b string) bool {
	return path.Ext(a) == path.Ext(b) ||
		script.MatchString(a) && script.MatchString(b) || perl.MatchString(a) && perl.MatchString(b)
}

// pythonNames returns the paths of the modules that a source imports, without the dots before them.
func pythonNames(text string) (names []string) {
	add := func(dotted string) {
		if name := strings.Trim(strings.ReplaceAll(dotted, ".", "/"), "/"); name != "" {
			names = append(names, name)
		}
	}
	for _, m := range pythonImport.FindAllStringSubmatch(text, -1) {
		add(m[1])
		add(m[4])
		for _, name := range dottedName.FindAllString(m[2], -1) {
			add(m[1] + "." + name)
		}
		for _, name := range dottedName.FindAllString(m[3], -1) {
			add(name)
		}
	}
	return names
}

// forTests matches the names of what is for tests.
var forTests = regexp.MustCompile(`(?i)tests?(?:[/_.-]|$)|(?:^|[/_.-])tests?|` +
	`expect|want|golden|fixture|mock|fake|stub`)

// TestsAlone reports whether tests import the package or module of a file, directly or through another one
// that tests alone import, and nothing else does. Since the tests of a library do the same with the code
// under test, it returns false for what imports other code of the tree, unless its name says that it is for
// tests.
func (i Imports) TestsAlone(file string) bool {
	unit := unitOf(file)
	usesCode := slices.ContainsFunc(i.of[unit], func(of string) bool { return !i.testsAlone(of, nil) })
	if usesCode && !forTests.MatchString(file) {
		return false
	}
	return i.testsAlone(unit, nil)
}

func (i Imports) testsAlone(unit string, seen []string) bool {
	tests := false
	for _, by := range i.by[unit] {
		if through := unitOf(by); !i.isForTests(by) {
			if slices.Contains(seen, through) || !i.testsAlone(through, append(seen, unit)) {
				return false
			}
		}
		tests = true
	}
	return tests
}

// Code reports whether code that is not for tests imports the package or module of a file.
func (i Imports) Code(file string) bool {
	return slices.ContainsFunc(i.by[unitOf(file)], func(by string) bool {
		return !i.isForTests(by) && !i.testsAlone(unitOf(by), nil)
	})
}

// HelpsTests reports whether tests alone import the package or module of a file, and its name says that it
// is for tests.
func (i Imports) HelpsTests(file string) bool {
	return forTests.MatchString(file) && i.testsAlone(unitOf(file), nil)
}

func (i Imports) isForTests(file string) bool {
	return DecidesTests(i.kind, file) || UsesTestLibrary(i.sources[file])
}

// function matches what begins a function or a class.
var function = regexp.MustCompile(`(?m)^\s*(?:func|(?:async )?def|class|sub|` +
	`(?:export )?(?:default )?(?:async )?function)\b|=>|\blambda\b`)

// HasValues reports whether a source holds nothing but values, or its name says that it is for tests.
func HasValues(file, text string) bool {
	return forTests.MatchString(file) || !function.MatchString(text)
}
