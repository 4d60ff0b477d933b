package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// workspaceRow is how long a session waits for its files. Each turn of a side makes three
// workspaces, one of each size.
func workspaceRow() row {
	r := row{name: "workspace", what: "A workspace for a session, from a warm bare mirror", within: 2 * time.Minute}
	for _, size := range repositorySizes {
		r.figures = append(r.figures, figure{name: fmt.Sprint(size, " files"), unit: "s"})
	}
	r.open = func(ctx context.Context, b *bench) ([]side, func(), error) {
		source, err := b.repository(ctx)
		if err != nil {
			return nil, nil, err
		}
		dir := filepath.Join(b.dir, "workspace")
		return []side{
			{name: "repo.Mirror.Workspace", turn: eachSize(source, func(ctx context.Context, commit string) (func() error, error) {
				w, err := source.mirror.Workspace(ctx, dir, commit)
				if err != nil {
					return nil, err
				}
				return w.Remove, nil
			})},
			{name: "git worktree add", ratio: []float64{0.9, 0.9, 0.9}, turn: eachSize(source, worktreeAdd(source.remote, dir, 1))},
			{name: "git worktree add, two workers", ratio: []float64{1.2, 1.2, 1.2}, turn: eachSize(source, worktreeAdd(source.remote, dir, 2))},
		}, nil, nil
	}
	return r
}

// makeFiles makes the files of a commit. What it returns removes them again.
type makeFiles func(ctx context.Context, commit string) (remove func() error, err error)

func worktreeAdd(remote, dir string, workers int) makeFiles {
	return func(ctx context.Context, commit string) (func() error, error) {
		_, err := git(ctx, remote, "-c", fmt.Sprint("checkout.workers=", workers), "worktree", "add", "-q", "--detach", dir, commit)
		return func() error {
			if err := os.RemoveAll(dir); err != nil {
				return err
			}
			_, err := git(ctx, remote, "worktree", "prune")
			return err
		}, err
	}
}

// eachSize measures the making, not the removing.
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
