package worker

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/build/packages"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// Bump has the package manager write another version of a package into the task's workspace, if people have
// named package and version.
func (t *task) Bump(ctx context.Context, in decision.Bump) (model.Result, error) {
	if err := t.mayWrite(); err != nil {
		return prompt.Wrong("%v", err), nil
	}
	named, err := t.namesBump(ctx, in)
	if err != nil {
		return model.Result{}, err
	}
	if !named {
		return prompt.Wrong("Nothing was changed: neither the approved request nor anybody since names "+
			"%.100q with version %.60q. End with blocked, and name package, version and why it is needed: "+
			"the orchestrator asks the thread, and the answer has to name both.", in.Package, in.Version), nil
	}
	p := t.Trees.Current()
	if t.Trees.Checker == nil || p.Checker == nil {
		return prompt.Wrong("Nothing can be fetched here, so no version can be changed."), nil
	}
	select {
	case <-p.BaseBuilt: // the packages of the base are known
	case <-ctx.Done():
		return model.Result{}, ctx.Err()
	}
	how := p.Repository.SetupFor(p.Project().Test, t.Session().Created)
	done, err := p.Checker.Cache.Bump(ctx, t.Session().BaseCommit, how, t.tree.FS(), packages.Bump{
		Package: in.Package, Version: in.Version, Folder: in.Folder,
	})
	var told *packages.BumpError
	if errors.As(err, &told) {
		text := "Nothing was changed: " + told.Why + "."
		if told.Output != "" {
			text += "\n" + prompt.Fence("output", told.Output)
		}
		return prompt.Wrong("%s", text), nil
	}
	if err != nil {
		return model.Result{}, err
	}
	if err := t.writeBumped(done); err != nil {
		return model.Result{}, err
	}
	return t.bumpResult(ctx, done)
}

// namesBump reports whether the approved report, or somebody who may approve since then, names the package
// and the version, or an advisory that is fixed by that version.
func (t *task) namesBump(ctx context.Context, in decision.Bump) (bool, error) {
	report, err := t.Store.Report(ctx, t.Session().ID, t.grant.Revision)
	if err != nil {
		return false, fmt.Errorf("report %d: %w", t.grant.Revision, err)
	}
	since, err := t.AmendmentText(ctx, t.grant.Revision)
	if err != nil {
		return false, err
	}
	text := findings.ReportForWorkers(report) + "\n" + since
	if packages.Mentions(text, in.Package) &&
		packages.Mentions(text, strings.TrimPrefix(in.Version, "v")) {
		return true, nil
	}
	known, err := t.Trees.Advisories(ctx, packages.AdvisoryNames(text))
	return known.NamesBump(in.Package, in.Version), err
}

// writeBumped writes the changed files into the workspace.
func (t *task) writeBumped(done packages.Bumped) error {
	for _, file := range slices.Sorted(maps.Keys(done.Files)) {
		mode := fs.FileMode(0o644)
		if info, err := t.tree.Root().Lstat(filepath.FromSlash(file)); err == nil {
			mode = info.Mode().Perm()
		}
		if err := workfile.Store(t.tree.Root(), file, done.Files[file], mode); err != nil {
			return err
		}
	}
	return t.Trees.LetCommandsWrite(t.tree)
}

// maxVersions is how many changed versions people and agents are shown.
const maxVersions = 20

// bumpResult returns what the agent and the thread are told of changed versions.
func (t *task) bumpResult(ctx context.Context, done packages.Bumped) (model.Result, error) {
	var direct, others []string
	for _, v := range done.Versions {
		name := "`" + strings.ReplaceAll(plaintext.CutLine(v.String(), 200), "`", "'") + "`"
		if v.Direct {
			direct = append(direct, name)
		} else {
			others = append(others, name)
		}
	}
	text := fmt.Sprintf("%s changed %s.", done.Manager,
		plaintext.FirstOf(slices.Sorted(maps.Keys(done.Files)), maxVersions))
	if len(direct) > 0 {
		text += " Versions: " + plaintext.FirstOf(direct, maxVersions) + "."
	}
	if len(others) > 0 {
		text += fmt.Sprintf(" Needed by others (%d): %s.", len(others),
			plaintext.FirstOf(others, maxVersions))
	}
	for _, m := range done.Missing {
		text += " Not fetched: " + prompt.FirstLine(m.Why) + "."
	}
	parts, err := t.treeParts(ctx)
	if err != nil {
		return model.Result{}, err
	}
	parts = append(parts, store.Lines(t.ProgramLine(text)))
	return ledger.WithParts(model.Result{
		Text: text + "\nBuild, run and check use the new packages from now on. Change code that the new " +
			"version breaks.",
	}, parts...), nil
}
