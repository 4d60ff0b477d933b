package git_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// A mirror has the commits of a remote, and a workspace has the files of one of them without a git directory.
func Example() {
	if err := changeOrder(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// README.md +1 -1
}

func changeOrder() error {
	dir, err := os.MkdirTemp("", "example-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	origin := filepath.Join(dir, "origin")
	commits, err := repotest.Origin(origin, repotest.Files{"README.md": "The total is 3 cents.\n"})
	if err != nil {
		return err
	}
	mirrors := &git.Mirrors{Dir: filepath.Join(dir, "mirrors"), Log: slog.New(slog.DiscardHandler)}
	defer mirrors.Close()
	ctx := context.Background()
	mirror, err := mirrors.Open(ctx, remote.Remote{Name: "shop", URL: origin})
	if err != nil {
		return err
	}
	work, err := mirror.Workspace(ctx, filepath.Join(dir, "work"), commits[0])
	if err != nil {
		return err
	}
	defer work.Close()
	readme := filepath.Join(work.Files(), "README.md")
	if err := os.WriteFile(readme, []byte("The total is 4 cents.\n"), 0o644); err != nil {
		return err
	}
	changes, err := work.Changes(ctx)
	for _, c := range changes {
		fmt.Printf("%s +%d -%d\n", c.Path, c.Added, c.Removed)
	}
	return err
}
