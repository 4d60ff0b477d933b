package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/bobbinhq/bobbin/repo/git"
)

// changedFile is a path that exists in the repository at each size.
const changedFile = "round0/src/archive/tar/common.go"

// commitRow measures how long it takes to find one changed file, commit it and push it to a new branch.
func commitRow() row {
	r := row{name: "commit", what: "Commit and push of one changed file to a remote on the same disk"}
	var most []float64
	for _, size := range repositorySizes {
		r.figures = append(r.figures, figure{name: fmt.Sprint(size, " files"), unit: "s"})
		most = append(most, 1)
	}
	r.open = func(ctx context.Context, b *bench) ([]side, func(), error) {
		source, err := b.repository(ctx)
		if err != nil {
			return nil, nil, err
		}
		var ours, theirs []committer
		for i, commit := range source.bases {
			w, err := source.mirror.Workspace(ctx, filepath.Join(b.dir, fmt.Sprint("commit-", i)), commit)
			if err != nil {
				return nil, nil, err
			}
			clone := filepath.Join(b.dir, fmt.Sprint("clone-", i))
			for _, args := range [][]string{
				{"clone", "-q", "-n", "--shared", source.remote, clone},
				{"-C", clone, "checkout", "-q", "--detach", commit},
			} {
				if _, err := runGit(ctx, b.dir, args...); err != nil {
					return nil, nil, err
				}
			}
			ours = append(ours, committer{w.Files(), func(ctx context.Context, branch string) error {
				commit, err := w.Commit(ctx, git.CommitSpec{Message: branch, When: time.Unix(1e9, 0)})
				if err != nil {
					return err
				}
				_, err = w.Push(ctx, git.PushSpec{Commit: commit, Branch: "bobbin/" + branch})
				return err
			}})
			theirs = append(theirs, committer{clone, func(ctx context.Context, branch string) error {
				if _, err := runGit(ctx, clone, "commit", "-qam", branch); err != nil {
					return err
				}
				_, err := runGit(ctx, clone, "push", "-q", "origin", "HEAD:refs/heads/git/"+branch)
				return err
			}})
		}
		return []side{
			{name: "git.Workspace, Commit and Push", turn: eachCommitter(ours)},
			{name: "git commit -a, git push", ratio: most, turn: eachCommitter(theirs)},
		}, nil, nil
	}
	return r
}

// A committer commits and pushes the changes in the folder files.
type committer struct {
	files string
	push  func(ctx context.Context, branch string) error
}

func eachCommitter(all []committer) func(context.Context) ([]float64, error) {
	turn := 0
	return func(ctx context.Context) (values []float64, err error) {
		turn++
		for i, c := range all {
			if err := writeFile(filepath.Join(c.files, changedFile),
				fmt.Appendf(nil, "package tar // turn %d\n", turn)); err != nil {
				return nil, err
			}
			began := time.Now()
			if err := c.push(ctx, fmt.Sprintf("size%d-turn%d", i, turn)); err != nil {
				return nil, err
			}
			values = append(values, time.Since(began).Seconds())
		}
		return values, nil
	}
}
