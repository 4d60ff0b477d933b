package proof

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git/diff"
)

// mayInfluence reports whether a file that decides about tests may change what the tests of the base do. A
// new file of tests may, because it can set what they use, unless none of them runs in the same process.
func (v *proving) mayInfluence(f oldForm) bool {
	if f.kind != "added" || !project.IsTest(v.project.Kind, f.path) {
		return true
	}
	isNew := func(file string) bool {
		added := func(c diff.Change) bool { return c.Path == file && c.Kind == "added" }
		return slices.ContainsFunc(v.changes, added)
	}
	return v.project.SharesProcess(v.work.FS(), f.path, isNew)
}

// importedByTests reports whether tests alone import the package or module of a file, on the base.
func (v *proving) importedByTests(file string) bool {
	if v.onceImports == nil {
		sources := project.ReadSources(v.work.FS())
		for _, c := range v.changes {
			was, err := v.checker.Cache.Mirror().Commits().ReadFile(v.work.Base(), c.Path)
			if delete(sources, c.Path); err == nil && (project.IsCode(c.Path) || path.Base(c.Path) == "go.mod") {
				sources[c.Path] = string(was)
			}
		}
		imports := sources.Imports(v.project.Kind)
		v.onceImports = &imports
	}
	return v.onceImports.TestsAlone(file)
}

// importedByCode reports whether code that is not for tests imports the package or module of a file on the
// branch, as it may in a folder with a name like testing.
func (v *proving) importedByCode(file string) bool {
	kind := v.project.Kind
	return project.IsCode(file) && !project.SetsUpTests(file) && !project.IsCase(kind, file) &&
		project.ReadSources(v.work.FS()).Imports(kind).Code(file)
}

// maxNewFiles is the most new files that are left out one by one.
const maxNewFiles = 6

// neededFiles returns the new files without which the old tests do not pass on the new code. pass says
// whether they pass in a run. It returns none if they do not pass with all new files either.
func (v *proving) neededFiles(
	ctx context.Context, forms []oldForm, pass func(result.Result) bool,
) ([]string, error) {
	var needed []oldForm
	isNew := func(f oldForm) bool { return f.kind == "added" }
	for _, f := range forms {
		if isNew(f) {
			needed = append(needed, f)
		}
	}
	passWith := func(files []oldForm) (bool, error) {
		without := slices.DeleteFunc(slices.Clone(forms), func(f oldForm) bool {
			return slices.ContainsFunc(files, func(o oldForm) bool { return o.path == f.path })
		})
		r, err := v.onOldTests(ctx, without, false)
		return err == nil && pass(r), err
	}
	if len(needed) == 0 {
		return nil, nil
	}
	if len(needed) < len(forms) { // another file may be what makes them pass
		if ok, err := passWith(needed); !ok || err != nil {
			return nil, err
		}
	}
	for _, f := range slices.Clone(needed) {
		if len(needed) == 1 || len(needed) > maxNewFiles {
			break
		}
		others := slices.DeleteFunc(slices.Clone(needed), func(o oldForm) bool { return o.path == f.path })
		ok, err := passWith(others)
		if err != nil {
			return nil, err
		}
		if ok {
			needed = others
		}
	}
	return pathsOf(needed), nil
}

func pathsOf(forms []oldForm) (paths []string) {
	for _, f := range forms {
		paths = append(paths, f.path)
	}
	return paths
}

// addNeeded records the new files that make a case pass, if any do. It does not look for them where another
// value stands in the file of the test or in a golden file.
func (v *proving) addNeeded(ctx context.Context, l lostCase, e *Expectation, base index) error {
	if e.Kind != ExpectationChanged || e.Renamed != "" || e.Values && v.showsValue(l, *e, base) {
		return nil
	}
	files, err := v.neededFiles(ctx, v.forms, func(r result.Result) bool {
		return newIndex(r).alignedTo(base).statusOf(l.key) == result.Passed
	})
	if err != nil || len(files) == 0 {
		return err
	}
	e.With, e.Was, e.Now, e.Place, e.More = files, "", "", "", 0
	return nil
}

// showsValue reports whether the place of an expectation is in the file of its test, or in one that only
// holds what tests expect.
func (v *proving) showsValue(l lostCase, e Expectation, base index) bool {
	file, _, _ := strings.Cut(e.Place, ":")
	h, found := pairFinder{v.forms}.holder(unitOf(base.tests[l.key]).name)
	return found && h.path == file || !found && project.IsExpected(file)
}

// addMended records a case that fails on the base, and passes on the branch only with new files.
func (v *proving) addMended(ctx context.Context, l lostCase, old, base index) error {
	e := Expectation{Kind: ExpectationChanged, Group: l.group, Test: base.labelOf(l.key)}
	e.Covers, e.Says = []string{l.name, unitOf(base.tests[l.key]).name}, complaint(old.tests[l.key].Output)
	err := v.addNeeded(ctx, l, &e, base)
	if err == nil && len(e.With) > 0 {
		v.Expectations = append(v.Expectations, e)
	}
	return err
}

// onlyWith says that tests pass only with new files.
func onlyWith(subject, verb string, files []string, says string) string {
	line := subject + " " + verb + " only with " + result.ListNames(files, maxNamed) + ", which this change adds"
	if says == "" {
		return line
	}
	without := "without it"
	if len(files) > 1 {
		without = "without them"
	}
	return line + " (" + without + ": " + strings.TrimSpace(says) + ")"
}
