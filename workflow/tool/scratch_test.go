package tool

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/workflow/model"
)

// withScratch returns an Env whose commands have a scratch folder.
func withScratch(t testing.TB, tree files) *Env {
	t.Helper()
	b := newRunning(t, tree)
	b.ScratchDir = filepath.Join(t.TempDir(), "session", "scratch")
	return b
}

// another returns the Env of another agent of the session, or of the same one after a restart.
func (e *Env) another() *Env {
	return &Env{Workspace: e.Workspace, Mirror: e.Mirror, OutputDir: e.OutputDir, Commands: e.Commands}
}

func TestScratchLastsFromRunToRun(t *testing.T) {
	t.Parallel()
	b := withScratch(t, files{"a.txt": "x\n"})
	require.Equal(t, "exit code 0\n(no output)", b.ok(t, "run", args{
		"command": "echo 'cat a.txt; echo here' > $SCRATCH/probe.sh; echo lost > /tmp/lost",
	}))
	require.Equal(t, "exit code 1\nx\nhere", b.ok(t, "run", args{
		"command": "sh $SCRATCH/probe.sh; test -e /tmp/lost",
	}))
	changes, err := b.Workspace.Changes(t.Context())
	require.NoError(t, err)
	require.Empty(t, changes)
	require.Equal(t, "exit code 0\nx\nhere",
		b.another().ok(t, "run", args{"command": "sh /scratch/probe.sh"}))

	b.Project = project.Project{Kind: "make", Test: `test -z "$SCRATCH" && test ! -e /scratch`}
	require.Contains(t, b.ok(t, "check", nil), "exit code 0")
	require.Contains(t, b.ok(t, "run", args{"command": b.Project.Test}), "exit code 1", "the control")

	other := withScratch(t, files{"a.txt": "x\n"})
	require.Contains(t, other.ok(t, "run", args{"command": "ls $SCRATCH"}), "(no output)")
	other.ScratchDir = ""
	require.Contains(t, other.ok(t, "run", args{"command": b.Project.Test}), "exit code 0")
	require.Contains(t, other.refused(t, "read_file", args{"path": "$SCRATCH/probe.sh"}), "no $SCRATCH here")
}

func TestToolsNameScratchFiles(t *testing.T) {
	t.Parallel()
	b := withScratch(t, files{"a.txt": "x\n"})
	b.MayWrite = func() error { return errors.New("the orchestrator changes no files") }
	require.Contains(t, b.ok(t, "write_file", args{"path": "$SCRATCH/in/probe.sh", "content": "echo one\n"}),
		"$SCRATCH/in/probe.sh written: new, 1 line")
	require.Contains(t, b.ok(t, "edit_file", args{
		"path": "${SCRATCH}/in/probe.sh", "old": "one", "new": "two",
	}), "$SCRATCH/in/probe.sh: 1 place changed")
	require.Equal(t, "exit code 0\ntwo", b.ok(t, "run", args{
		"command": "sh $SCRATCH/in/probe.sh; echo changed > $SCRATCH/in/probe.sh",
	}))
	write := args{"path": "$SCRATCH/in/probe.sh", "content": "echo three\n"}
	require.Contains(t, b.refused(t, "write_file", write),
		"$SCRATCH/in/probe.sh has changed since it was read")
	read := args{"path": "/scratch/in/probe.sh"}
	require.Equal(t, "$SCRATCH/in/probe.sh, lines 1-1 of 1\n1\tchanged\n", b.ok(t, "read_file", read))
	require.Equal(t, "$SCRATCH/in/probe.sh:1: changed\n",
		b.ok(t, "search", args{"path": "$SCRATCH/in/probe.sh", "pattern": "chan"}))

	again := b.another()
	raw, err := json.Marshal(read)
	require.NoError(t, err)
	again.Recall([]model.Message{
		{Role: model.Assistant, Calls: []model.Call{{ID: "1", Name: "read_file", Args: raw}}},
		{Role: model.ToolRole, CallID: "1"},
	})
	require.Contains(t, again.ok(t, "write_file", write), "$SCRATCH/in/probe.sh written")

	b.MayWrite = nil
	for name, in := range map[string]args{
		"read_file":  {"path": "$SCRATCH/../secret"},
		"write_file": {"path": "$SCRATCH", "content": "x"},
		"edit_file":  {"path": "$SCRATCH/none", "old": "a", "new": "b"},
		"list_files": {"path": "$SCRATCH"},
		"outline":    {"path": "$SCRATCH/in/probe.sh"},
		"apply_patch": {
			"patch": "*** Begin Patch\n*** Add File: $SCRATCH/x\n+x\n*** End Patch\n",
		},
	} {
		require.NotEmpty(t, b.refused(t, name, in), name)
	}
	require.NoDirExists(t, filepath.Join(b.Workspace.Files(), "$SCRATCH"))
}

// A command that leaves more than may be there loses its largest files. The scripts stay.
func TestScratchIsBounded(t *testing.T) {
	t.Parallel()
	b := withScratch(t, files{"a.txt": "x\n"})
	fill := args{"command": "mkdir -p $SCRATCH/big && cp a.txt $SCRATCH/probe.sh && " +
		"head -c 3000000 /dev/zero > $SCRATCH/big/dump"}
	require.Equal(t, "exit code 0\n(no output)", b.ok(t, "run", fill), "the control")
	b.maxScratch = 2 << 20
	require.Contains(t, b.refused(t, "write_file", args{"path": "$SCRATCH/note", "content": "x"}),
		"$SCRATCH is full: it holds 2.9 MB in 3 files, and at most 2.0 MB in 2000.")
	require.Contains(t, b.ok(t, "run", args{"command": "true"}), "exit code 0\n(no output)\n"+
		"[$SCRATCH held 2.9 MB in 3 files, and may hold 2.0 MB in 2000. Removed, the largest first: big]")
	require.Contains(t, b.ok(t, "run", args{"command": "mkdir $SCRATCH/many; cd $SCRATCH/many; " +
		"for i in $(seq 2100); do : > $i; done"}), "Removed, the largest first: many]")
	require.Equal(t, "exit code 0\nprobe.sh", b.ok(t, "run", args{"command": "ls $SCRATCH"}))
	b.ok(t, "write_file", args{"path": "$SCRATCH/note", "content": "x"})
}

// What a command leaves in the folder leads nowhere, blocks nothing and cannot hide from the bound.
func TestHostileScratch(t *testing.T) {
	t.Parallel()
	b := withScratch(t, files{"a.txt": "x\n"})
	outside := filepath.Join(t.TempDir(), "outside")
	require.NoError(t, os.WriteFile(outside, []byte("canary\n"), 0o600))
	b.ok(t, "run", args{"command": "cd $SCRATCH && ln -s " + outside + " link && mkfifo pipe && ln -s / up"})
	for _, name := range []string{"link", "pipe", "up/etc/passwd"} {
		text := b.refused(t, "read_file", args{"path": "$SCRATCH/" + name})
		require.NotContains(t, text, "canary")
		require.NotEmpty(t, b.refused(t, "write_file", args{"path": "$SCRATCH/" + name, "content": "x"}))
	}
	require.FileExists(t, outside)
	deep := "cd $SCRATCH && d=" + strings.Repeat("d", 200) +
		"; for i in $(seq 80); do mkdir $d && cd $d; done; echo x > dump"
	require.Contains(t, b.ok(t, "run", args{"command": deep}), "Removed, the largest first: dddd")
	if syscall.Geteuid() != 0 {
		require.Contains(t, b.ok(t, "run", args{
			"command": "cd $SCRATCH && mkdir shut && : > shut/x && chmod 0 shut",
		}), "Removed, the largest first: shut]")
	}
}
