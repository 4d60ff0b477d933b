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
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// errNoStub ends a run because there is no name to make a stand-in for.
var errNoStub = errors.New("proof: nothing can stand in for what the base lacks")

// showUncompiled runs the new tests that do not compile on the base once more, with empty stand-ins for
// what the base lacks, and notes their results. They count as failing in any case, but a test that was seen
// to fail by itself shows more.
func (p *proving) showUncompiled(ctx context.Context, base, branch index) error {
	if len(p.uncompiled) == 0 || p.project.Kind != "go" {
		return nil
	}
	again, names, err := p.onStubs(ctx)
	if errors.Is(err, errNoStub) {
		return nil
	}
	if err != nil {
		return err
	}
	stubbed := newIndex(again).alignedTo(base, branch)
	missing := plaintext.FirstOf(names, 3)
	for _, n := range p.uncompiled {
		ran := slices.ContainsFunc(n.leaves, func(k key) bool { return stubbed.statusOf(k) != "" })
		switch {
		case n.countIn(stubbed, result.Failed) > 0 || stubbed.anyFailed(n.unit):
			p.addNote(n.label, "fails on %s with an empty %s, which it lacks (as expected)",
				p.BaseName, missing)
		case ran:
			p.addNote(n.label, "does not compile on %s, which lacks %s, "+
				"and passes there with an empty one (counts as failing)", p.BaseName, missing)
		default:
			p.addNote(n.label, "does not compile on %s, not even with an empty %s, "+
				"so it was not run there (counts as failing)", p.BaseName, missing)
		}
	}
	return nil
}

// onStubs runs the base with the change's test files and with stand-ins for the new names of the changed
// packages. It also returns these names.
func (p *proving) onStubs(ctx context.Context) (result.Result, []string, error) {
	tests := p.project
	tests.Build = ""
	var names []string
	checker := p.checker.Named("new tests on "+p.BaseName+", with stand-ins", p.Base)
	r, err := checker.RunTree(ctx, p.work.Base(), func(onto *os.Root) error {
		if err := p.tests.layOver(p.work.Root(), onto); err != nil {
			return err
		}
		for _, folder := range p.changedPackages() {
			for _, f := range stub.Go(disk.PlainFS(onto), disk.PlainFS(p.work.Root()), folder) {
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
func (p *proving) changedPackages() []string {
	var out []string
	for _, c := range p.changes {
		folder := path.Dir(c.Path)
		if strings.HasSuffix(c.Path, ".go") && !project.IsTest(p.project.Kind, c.Path) &&
			c.Kind != "deleted" && !slices.Contains(out, folder) {
			out = append(out, folder)
		}
	}
	return out
}
