package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// rowOfSizes returns a row without open, which has a figure in seconds for each size of repository.
func rowOfSizes(name, what string) row {
	r := row{name: name, what: what, within: 2 * time.Minute}
	for _, size := range repositorySizes {
		r.figures = append(r.figures, figure{name: fmt.Sprint(size, " files"), unit: "s"})
	}
	return r
}

// workspaceRow measures how long a session waits for its files. Each turn of a side creates three workspaces,
// one for each size of repository.
func workspaceRow() row {
	r := rowOfSizes("workspace", "A workspace for a session, from a warm bare mirror")
	r.open = func(ctx context.Context, b *bench) ([]side, func(), error) {
		source, err := b.repository(ctx)
		if err != nil {
			return nil, nil, err
		}
		dir := filepath.Join(b.dir, "workspace")
		return []side{
			{
				name: "git.Mirror.Workspace",
				turn: eachSize(source, func(ctx context.Context, commit string) (func() error, error) {
					w, err := source.mirror.Workspace(ctx, dir, commit)
					if err != nil {
						return nil, err
					}
					return w.Remove, nil
				}),
			},
			{
				name:  "git worktree add",
				ratio: []float64{0.9, 0.9, 0.9},
				turn:  eachSize(source, worktreeAdd(source.remote, dir, 1)),
			},
			{
				name:  "git worktree add, two workers",
				ratio: []float64{1.2, 1.2, 1.2},
				turn:  eachSize(source, worktreeAdd(source.remote, dir, 2)),
			},
		}, nil, nil
	}
	return r
}

// makeFiles creates the files of a commit and returns a function that removes them.
type makeFiles func(ctx context.Context, commit string) (remove func() error, err error)

func worktreeAdd(remote, dir string, workers int) makeFiles {
	return func(ctx context.Context, commit string) (func() error, error) {
		_, err := runGit(ctx, remote, "-c", fmt.Sprint("checkout.workers=", workers), "worktree", "add", "-q",
			"--detach", dir, commit)
		return func() error {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			_, err := runGit(ctx, remote, "worktree", "prune")
			return err
		}, err
	}
}

// eachSize returns a turn that measures make for each size of repository. Removing the files is not measured.
func eachSize(r *repository, make makeFiles) func(context.Context) ([]float64, error) {
	return func(ctx context.Context) (values []float64, err error) {
		for _, commit := range r.bases {
			began := time.Now()
			remove, err := make(ctx, commit)
			values = append(values, time.Since(began).Seconds())
			if err != nil {
				return nil, err
			}
			if err := remove(); err != nil {
				return nil, err
			}
		}
		return values, nil
	}
}

// spareRow measures how long a session waits for its files if its mirror has a spare workspace, which it
// prepares after each workspace. The preparation is not measured.
func spareRow() row {
	r := rowOfSizes("spare",
		"A workspace for the next session at the same commit: the spare that its mirror keeps")
	r.open = func(ctx context.Context, b *bench) ([]side, func(), error) {
		source, err := b.repository(ctx)
		if err != nil {
			return nil, nil, err
		}
		mirrors := &git.Mirrors{
			Dir:        filepath.Join(b.dir, "sparing"),
			Log:        b.log,
			SpareAfter: time.Millisecond,
		}
		mirror, err := mirrors.Open(ctx, remote.Remote{Name: "go", URL: source.remote})
		if err != nil {
			return nil, nil, err
		}
		dir := filepath.Join(b.dir, "workspace")
		return []side{
			{name: "git.Mirror.Workspace", turn: func(ctx context.Context) (values []float64, err error) {
				for _, commit := range source.bases {
					took, err := takeSpare(ctx, mirror, dir, commit)
					if err != nil {
						return nil, err
					}
					values = append(values, took)
				}
				return values, nil
			}},
			{
				name:  "git worktree add",
				ratio: []float64{0.05, 0.05, 0.05},
				turn:  eachSize(source, worktreeAdd(source.remote, dir, 1)),
			},
		}, func() { _ = mirrors.Close() }, nil
	}
	return r
}

// takeSpare ensures that the mirror has a spare for the commit, then measures the next workspace, in seconds.
func takeSpare(ctx context.Context, m *git.Mirror, dir, commit string) (float64, error) {
	if !m.HasSpare(commit) {
		w, err := m.Workspace(ctx, dir, commit)
		if err == nil {
			err = w.Remove()
		}
		if err == nil {
			err = awaitSpare(ctx, func() bool { return m.HasSpare(commit) })
		}
		if err != nil {
			return 0, err
		}
	}
	began := time.Now()
	w, err := m.Workspace(ctx, dir, commit)
	took := time.Since(began).Seconds()
	if err == nil {
		err = w.Remove()
	}
	if err == nil {
		err = awaitSpare(ctx, func() bool { return m.HasSpare(commit) }) // not while the peer is measured
	}
	return took, err
}

func awaitSpare(ctx context.Context, there func() bool) error {
	for !there() {
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for a spare workspace: %w", ctx.Err())
		case <-time.After(5 * time.Millisecond):
		}
	}
	return nil
}
