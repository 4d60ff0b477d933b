package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
)

// TestCompletion checks that each shell can parse its script, and that bash completes with it.
func TestCompletion(t *testing.T) {
	t.Parallel()
	scripts := map[string]string{}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		code, out, errs := call(t, t.Context(), nil, "completion", shell)
		require.Equal(t, cli.ExitOK, code, errs)
		for _, word := range []string{"spending", "no-doctor", "completion"} {
			require.Contains(t, out, word, shell)
		}
		require.NotContains(t, out, "host-api", "hidden flags stay so")
		name := filepath.Join(t.TempDir(), "script")
		require.NoError(t, os.WriteFile(name, []byte(out), 0o600))
		scripts[shell] = name
		if program, err := exec.LookPath(shell); err == nil {
			said, err := exec.CommandContext(t.Context(), program, "-n", name).CombinedOutput()
			require.NoError(t, err, "%s: %s", shell, said)
		}
	}
	code, _, errs := call(t, t.Context(), nil, "completion", "tcsh")
	require.Equal(t, cli.ExitUsage, code)
	require.Contains(t, errs, "bash")
	program, err := exec.LookPath("bash")
	if err != nil {
		// Only bash can show that its script completes; the checks above cover the text of the scripts.
		t.Skip("bash is not installed")
	}
	for typed, want := range map[string]string{
		"bobbin spe": "spending", "bobbin sessions --js": "--json", "bobbin --ver": "--verbose --version",
		"bobbin pause --a":    "--all",
		"bobbin completion b": "bash", "bobbin --log-format ": "text json", "bobbin --log-format = j": "json",
		"bobbin --log-format text spe": "spending",
		// without words, bash completes files
		"bobbin serve --config ": "", "bobbin serve --config =": "",
		"bobbin --log-format = json sessions --js": "--json",
	} {
		words := strings.Split(typed, " ")
		ask := exec.CommandContext(t.Context(), program, "-c",
			`. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _bobbin; echo "${COMPREPLY[*]}"`, "-",
			scripts["bash"])
		ask.Args = append(ask.Args, words...)
		said, err := ask.CombinedOutput()
		require.NoError(t, err, string(said))
		require.Equal(t, want, strings.TrimSpace(string(said)), typed)
	}
}
