package proof

import (
	"context"
	"path"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/git/diff"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// mayInfluence reports whether a file that decides about tests may change what the tests of the base do. A
// new file of tests may, because it can set what they use, unless none of them runs in the same process.
func (p *proving) mayInfluence(f oldForm) bool {
	if f.kind != "added" || !project.IsTest(p.project.Kind, f.path) {
		return true
	}
	isNew := func(file string) bool {
		added := func(c diff.Change) bool { return c.Path == file && c.Kind == "added" }
		return slices.ContainsFunc(p.changes, added)
	}
	return p.project.SharesProcess(p.work.FS(), f.path, isNew)
}

// importedByTests reports whether tests alone import the package or module of a file, on the base.
func (p *proving) importedByTests(file string) bool {
	if p.onceImports == nil {
		sources := project.ReadSources(p.work.FS())
		for _, c := range p.changes {
			was, err := p.checker.Cache.Mirror().Commits().ReadFile(p.work.Base(), c.Path)
			if delete(sources,
				c.Path); err == nil && (project.IsCode(c.Path) || path.Base(c.Path) == "go.mod") {
				sources[c.Path] = string(was)
			}
		}
		imports := sources.Imports(p.project.Kind)
		p.onceImports = &imports
	}
	return p.onceImports.TestsAlone(file)
}

// importedByCode reports whether code that is not for tests imports the package or module of a file on the
// branch, as it may in a folder with a name like testing.
func (p *proving) importedByCode(file string) bool {
	kind := p.project.Kind
	return project.IsCode(file) && !project.SetsUpTests(file) && !project.IsCase(kind, file) &&
		project.ReadSources(p.work.FS()).Imports(kind).Code(file)
}

// maxNewFiles is the most new files that are left out one by one.
const maxNewFiles = 6

// neededFiles returns the new files without which the old tests do not pass on the new code. pass says
// whether they pass in a run. It returns none if they do not pass with all new files either.
func (p *proving) neededFiles(
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
		r, err := p.onOldTests(ctx, without, false)
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
func (p *proving) addNeeded(ctx context.Context, l lostCase, e *Expectation, base index) error {
	if e.Kind != ExpectationChanged || e.Renamed != "" || e.Values && p.showsValue(l, *e, base) {
		return nil
	}
	files, err := p.neededFiles(ctx, p.forms, func(r result.Result) bool {
		return newIndex(r).alignedTo(base).statusOf(l.key) == result.Passed
	})
	if err != nil || len(files) == 0 {
		return err
	}
	e.With = files
	e.Was = ""
	e.Now = ""
	e.Place = ""
	e.More = 0
	return nil
}

// showsValue reports whether the place of an expectation is in the file of its test, or in one that only
// holds what tests expect.
func (p *proving) showsValue(l lostCase, e Expectation, base index) bool {
	file, _, _ := strings.Cut(e.Place, ":")
	h, found := pairFinder{p.forms}.holder(unitOf(base.tests[l.key]).name)
	return found && h.path == file || !found && project.IsExpected(file)
}

// addFixed records a case that fails on the base, and passes on the branch only with new files.
func (p *proving) addFixed(ctx context.Context, l lostCase, old, base index) error {
	e := Expectation{Kind: ExpectationChanged, Group: l.group, Test: base.labelOf(l.key)}
	e.Covers = []string{l.name, unitOf(base.tests[l.key]).name}
	e.Says = complaint(old.tests[l.key].Output)
	err := p.addNeeded(ctx, l, &e, base)
	if err == nil && len(e.With) > 0 {
		p.Expectations = append(p.Expectations, e)
	}
	return err
}

// onlyWith says that tests pass only with new files.
func onlyWith(subject, verb string, files []string, says string) string {
	line := subject + " " + verb + " only with " + plaintext.FirstOf(files, maxNamed) +
		", which this change adds"
	if says == "" {
		return line
	}
	without := "without it"
	if len(files) > 1 {
		without = "without them"
	}
	return line + " (" + without + ": " + strings.TrimSpace(says) + ")"
}
