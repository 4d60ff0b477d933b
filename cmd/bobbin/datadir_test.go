package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
)

// TestAFileForTheDataDirectory checks that each command that works in the data directory says in one line
// that it is a file, or would be within one, and what to do.
func TestAFileForTheDataDirectory(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "data")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	name := writeConfig(t, good)
	for dir, want := range map[string]string{
		file: "bobbin: the data directory " + file + " is a file; name a folder with --data-dir or " +
			"BOBBIN_DATA_DIR\n",
		filepath.Join(file, "bobbin"): "bobbin: the data directory " + filepath.Join(file, "bobbin") +
			" cannot be made: a part of that path is a file; name a folder with --data-dir or " +
			"BOBBIN_DATA_DIR\n",
	} {
		for _, args := range []string{
			"serve", "sessions", "sessions x", "audit --verify", "migrate", "backup " + file + ".backup",
			"clean --dry-run", "pause --all", "resume --all", "spending", "learned",
		} {
			code, out, errs := call(t, t.Context(), ready("BOBBIN_CONFIG", name, "BOBBIN_DATA_DIR", dir),
				strings.Fields(args)...)
			require.Equal(t, cli.ExitUsage, code, "%s: %s", args, errs)
			require.Empty(t, out, args)
			require.Equal(t, want, errs, args)
		}
		_, out, _ := call(t, t.Context(), map[string]string{"BOBBIN_DATA_DIR": dir}, "doctor")
		what, cure, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(want), "bobbin: "), "; ")
		require.Contains(t, out, "  problem  "+what+"\n           → "+cure+"\n")
	}
}

// TestAnEmptyNameIsNoFolder checks that a variable of a script that is empty does not name the folder of a
// backup, nor does a folder with which the backup would be lost.
func TestAnEmptyNameIsNoFolder(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"backup", "restore"} {
		code, _, errs := call(t, t.Context(), nil, command, "")
		require.Equal(t, cli.ExitUsage, code)
		require.Equal(t, "bobbin: name a folder; an empty name was given\n", errs)
	}
	data := t.TempDir()
	for _, dir := range []string{data, filepath.Join(data, "backups", "monday")} {
		code, _, errs := call(t, t.Context(), map[string]string{"BOBBIN_DATA_DIR": data}, "backup", dir)
		require.Equal(t, cli.ExitUsage, code)
		require.Equal(t, "bobbin: "+dir+" is in the data directory, and would be lost with it; name a "+
			"folder elsewhere, best on another disk\n", errs)
	}
	code, _, errs := call(t, t.Context(), nil, "")
	require.Equal(t, cli.ExitUsage, code)
	require.Equal(t, "bobbin: an empty word is no command; bobbin help lists them\n", errs)
}

// TestARestoreLooksFirst checks that a restore looks for its archive before it makes a data directory.
func TestARestoreLooksFirst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "backup.tar.gz")
	require.NoError(t, os.WriteFile(file, nil, 0o644))
	data := filepath.Join(dir, "data")
	for archive, why := range map[string]string{
		filepath.Join(dir, "gone"): "there is no such folder",
		file:                       "it is a file, and a backup is a folder",
		t.TempDir():                "there is no manifest.json",
	} {
		code, _, errs := call(t, t.Context(), map[string]string{"BOBBIN_DATA_DIR": data}, "restore", archive)
		require.Equal(t, cli.ExitUsage, code)
		require.Equal(t, "bobbin: "+archive+" is no whole backup: "+why+"; nothing was changed\n", errs)
		require.NoFileExists(t, data)
		require.NoDirExists(t, data)
	}
}
