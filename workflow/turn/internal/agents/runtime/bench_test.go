package runtime

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/ledgertest"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/folder"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/workspace/worktree"
)

// A message that redirects ends the orchestrator's command in the middle. What the command changed is not
// there any more when the orchestrator reads on.
func TestAnInterruptedCommandLeavesNoFiles(t *testing.T) {
	t.Parallel()
	origin, _ := repotest.NewOrigin(t, repotest.Files{"a": "b\n"})
	mirrors := repotest.OpenMirrors(t)
	ledger := ledgertest.Open(t, nil)
	ledger.Dir = t.TempDir()
	shop := repository.Repository{Remote: remote.Remote{Name: "shop", URL: origin}}
	trees := &worktree.Trees{
		Ledger: ledger, Snapshots: &worktree.Snapshots{Ledger: ledger}, Catalog: &catalog.Catalog{Ledger: ledger, Repositories: []repository.Repository{shop}},
		Folders: &folder.Folders{Dir: ledger.Dir}, Mirrors: mirrors, Sandbox: repotest.OpenSandbox(t),
	}
	opened, err := trees.Open(t.Context())
	require.NoError(t, err)
	require.True(t, opened)
	defer trees.Close()
	r := &Runtime{Ledger: ledger, Trees: trees}
	env, err := r.CopyEnv()
	require.NoError(t, err)
	tools := r.ReadingTools(env)
	run := tools[slices.IndexFunc(tools, func(t model.Tool) bool { return t.Name == "run" })]

	ctx, redirect := context.WithCancel(t.Context())
	defer redirect()
	ended := make(chan error, 1)
	go func() {
		_, err := run.Call(ctx, json.RawMessage(`{"command": "rm a; echo probe > probe; tail -f /dev/null"}`))
		ended <- err
	}()
	files := trees.Current().Copy.Files()
	require.Eventually(t, func() bool {
		_, err := os.Stat(filepath.Join(files, "probe"))
		return err == nil
	}, 2*time.Minute, 10*time.Millisecond)
	redirect()
	require.ErrorIs(t, <-ended, context.Canceled)
	require.NoFileExists(t, filepath.Join(files, "probe"))
	require.FileExists(t, filepath.Join(files, "a"))
}
