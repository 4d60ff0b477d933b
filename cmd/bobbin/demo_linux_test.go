package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// TestTheDemoWithoutGo checks that the demo says what it lacks before its story begins.
func TestTheDemoWithoutGo(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/usr/bin/go"); err == nil {
		t.Skip("here, every command finds go") // commands always look in /usr/bin, so it cannot be hidden
	}
	bare, err := sandbox.Open(t.Context(), sandbox.Config{Toolchains: []string{}})
	require.NoError(t, err)
	require.EqualError(t, checkGo(t.Context(), bare), "the demo's project is built and tested with Go, and "+
		"commands do not find go: install Go (apt-get install golang-go, or https://go.dev/dl), where every "+
		"user can read it; nothing was started")
	usual, err := sandbox.Open(t.Context(), sandbox.Config{})
	require.NoError(t, err)
	require.NoError(t, checkGo(t.Context(), usual))
}
