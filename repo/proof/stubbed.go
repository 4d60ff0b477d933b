package proof

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/proof/internal/stub"
)

// errNoStub ends a run because there is no name to make a stand-in for.
var errNoStub = errors.New("proof: nothing can stand in for what the base lacks")

// showUncompiled runs the new tests that do not compile on the base once more, with empty stand-ins for
// what the base lacks, and notes their results. They count as failing in any case, but a test that was seen
// to fail by itself shows more.
func (v *proving) showUncompiled(ctx context.Context, base, branch index) error {
	if len(v.uncompiled) == 0 || v.project.Kind != "go" {
		return nil
	}
	again, names, err := v.onStubs(ctx)
	if errors.Is(err, errNoStub) {
		return nil
	}
	if err != nil {
		return err
	}
	stubbed, missing := newIndex(again).alignedTo(base, branch), result.ListNames(names, 3)
	for _, n := range v.uncompiled {
		ran := slices.ContainsFunc(n.leaves, func(k key) bool { return stubbed.statusOf(k) != "" })
		switch {
		case n.countIn(stubbed, result.Failed) > 0 || stubbed.anyFailed(n.unit):
			v.addNote(n.label, "fails on %s with an empty %s, which it lacks (as expected)", v.BaseName, missing)
		case ran:
			v.addNote(n.label, "does not compile on %s, which lacks %s, and passes there with an empty one (counts as failing)", v.BaseName, missing)
		default:
			v.addNote(n.label, "does not compile on %s, not even with an empty %s, so it was not run there (counts as failing)", v.BaseName, missing)
		}
	}
	return nil
}

// onStubs runs the base with the change's test files and with stand-ins for the new names of the changed
// packages. It also returns these names.
func (v *proving) onStubs(ctx context.Context) (result.Result, []string, error) {
	tests := v.project
	tests.Build = ""
	var names []string
	r, err := v.checker.RunTree(ctx, v.work.Base(), func(onto *os.Root) error {
		if err := v.tests.layOver(v.work.Root(), onto); err != nil {
			return err
		}
		for _, folder := range v.changedPackages() {
			for _, f := range stub.Go(disk.PlainFS(onto), disk.PlainFS(v.work.Root()), folder) {
				names = append(names, f.Names...)
				if err := onto.MkdirAll(folder, 0o755); err != nil {
					return fmt.Errorf("proof: make room for stand-ins: %w", err)
				}
				if err := onto.WriteFile(path.Join(folder, f.Name), []byte(f.Text), 0o644); err != nil {
					return fmt.Errorf("proof: write stand-ins: %w", err)
				}
			}
		}
		if len(names) == 0 {
			return errNoStub
		}
		return nil
	}, tests)
	return r, names, err
}

// changedPackages returns the folders whose Go sources the change touches.
func (v *proving) changedPackages() []string {
	var out []string
	for _, c := range v.changes {
		folder := path.Dir(c.Path)
		if strings.HasSuffix(c.Path, ".go") && !project.IsTest(v.project.Kind, c.Path) && c.Kind != "deleted" && !slices.Contains(out, folder) {
			out = append(out, folder)
		}
	}
	return out
}
