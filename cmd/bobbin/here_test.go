package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
)

// TestAFolderForTheConfiguration checks that each command that needs the configuration says in one line that
// a folder stands in its place, whether it is named or in the current folder, and what to do.
func TestAFolderForTheConfiguration(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(harness.Dir(t))
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(dir, hereName), 0o755))
	want := hereName + ": the configuration cannot be read: is a directory; a container makes such a " +
		"folder if the file that it mounts is not there; remove it, and bobbin init writes the file\n"
	for _, args := range []string{"health", "reload", "clean", "playground", "try shop", "serve"} {
		cmd := exec.CommandContext(t.Context(), harness.Program(t), strings.Fields(args)...)
		cmd.Dir = dir
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
		said, err := cmd.CombinedOutput()
		require.Error(t, err, args)
		require.Contains(t, string(said), "bobbin: using "+filepath.Join(dir, hereName)+", which is in this "+
			"folder\n"+want, args)
		code, _, errs := call(t, t.Context(), nil, append(strings.Fields(args), "--config",
			filepath.Join(dir, hereName))...)
		require.Equal(t, cli.ExitUsage, code, args)
		require.True(t, strings.HasPrefix(errs, filepath.Join(dir, want)), errs)
	}
	code, _, errs := call(t, t.Context(), nil, "init", "--config", filepath.Join(dir, hereName))
	require.Equal(t, cli.ExitUsage, code)
	require.Equal(t, "bobbin: "+filepath.Join(dir, hereName)+" is a folder; remove it, or name another file "+
		"with --config\n", errs)
}

// TestTheConfigurationOfTheFolder runs each command that reads a configuration as a process, in a folder with
// a bobbin.yaml that has a fault: each says which file it uses, and finds the fault. In the controls the file
// is not there, another one is named, or it is part of the repository that the command is about.
func TestTheConfigurationOfTheFolder(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(harness.Dir(t))
	require.NoError(t, err)
	inside := filepath.Join(dir, "inside")
	require.NoError(t, os.Mkdir(inside, 0o755))
	other := writeConfig(t, "nonsense: 2\n")
	for _, folder := range []string{dir, inside} {
		name := filepath.Join(folder, hereName)
		require.NoError(t, os.WriteFile(name, []byte("nonsense: 1\n"), 0o644))
	}
	run := func(folder, args string, env ...string) string {
		cmd := exec.CommandContext(t.Context(), harness.Program(t), strings.Fields(args)...)
		cmd.Dir = folder
		cmd.Env = append(env, "PATH="+os.Getenv("PATH"), "HOME="+dir, "BOBBIN_DATA_DIR="+inside)
		said, err := cmd.CombinedOutput()
		require.Error(t, err, string(said))
		return string(said)
	}
	using := "bobbin: using " + filepath.Join(dir, hereName) + ", which is in this folder\n"
	for _, args := range []string{
		"serve", "doctor", "health", "reload", "clean", "playground", "try shop", "eval .",
	} {
		if args == "eval ." {
			args = "eval " + filepath.Join(harness.Root(t), "cmd/bobbin/testdata/suite")
		}
		said := run(dir, args)
		require.Contains(t, said, using, args)
		require.Equal(t, 1, strings.Count(said, "bobbin: using"), said)
		require.Contains(t, said, hereName+":1: unknown key \"nonsense\"", args)
	}
	for name, said := range map[string]string{
		"named":          run(dir, "health --config "+other),
		"in a variable":  run(dir, "health", "BOBBIN_CONFIG="+other),
		"not there":      run(t.TempDir(), "health"),
		"not asked for":  run(dir, "sessions"),
		"the repository": run(dir, "try . --token-env NO_TOKEN"),
		"above":          run(inside, "try .. --token-env NO_TOKEN"),
	} {
		require.NotContains(t, said, "bobbin: using", name)
		require.Equal(t, strings.HasPrefix(name, "the rep") || name == "above",
			strings.Contains(said, "is part of that repository; --config names it"), said)
	}
	require.Contains(t, run(dir, "try inside --token-env NO_TOKEN"), using, "the control")
	require.NoError(t, exec.CommandContext(t.Context(), "git", "init", "-q", dir).Run())
	require.NotContains(t, run(dir, "try inside --token-env NO_TOKEN"), using, "a folder of the repository")
}
