package packages

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The test runs the real tools with a temporary home folder.
func TestRegistriesOfTheAccount(t *testing.T) {
	home := t.TempDir()
	for _, kv := range os.Environ() { // the environment of this machine overrides the files of a home folder
		name, _, _ := strings.Cut(kv, "=")
		if up := strings.ToUpper(name); strings.HasPrefix(up, "PIP_") || strings.HasPrefix(up, "NPM_CONFIG_") || slices.Contains([]string{"GOPROXY", "GONOSUMDB", "GOPRIVATE", "GONOPROXY", "GOENV"}, up) {
			t.Setenv(name, "")
			os.Unsetenv(name)
		}
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	write := func(name, text string) {
		name = filepath.Join(home, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	write(".config/go/telemetry/mode", "off\n") // otherwise go starts a process that still writes there when the test has ended
	write(".config/go/env", "GOPROXY=https://athens.example,direct\nGONOSUMDB=*.example\n")
	write(".npmrc", "registry=https://npm.example:4873/\n//npm.example:4873/:_authToken=s3cr3t\n")
	write(".config/pip/pip.conf", "[global]\nindex-url = https://pypi.example/simple\nextra-index-url = https://me:s3cr3t@other.example/simple\ntrusted-host = pypi.example\n")
	for kind, c := range map[string]struct {
		tool    string
		env     []string
		leftOut []string
	}{
		"go":     {"go", []string{"GONOSUMDB=*.example", "GOPROXY=https://athens.example,direct"}, nil},
		"node":   {"npm", []string{"YARN_NPM_REGISTRY_SERVER=https://npm.example:4873/", "npm_config_registry=https://npm.example:4873/"}, nil},
		"python": {"pip3", []string{"PIP_INDEX_URL=https://pypi.example/simple", "PIP_TRUSTED_HOST=pypi.example"}, []string{"PIP_EXTRA_INDEX_URL"}},
		"rust":   {"true", nil, nil},
	} {
		t.Run(kind, func(t *testing.T) {
			if _, err := exec.LookPath(c.tool); err != nil {
				// The test needs the real tool; no fake can replace it.
				t.Skip(c.tool + " is not installed")
			}
			r, err := FindAccount(t.Context(), kind)
			require.NoError(t, err)
			require.Subset(t, r.Env, c.env)
			require.Equal(t, c.leftOut, r.LeftOut)
			require.NotContains(t, strings.Join(r.Env, "\n"), "s3cr3t")
		})
	}
}

// After a timeout, the result is not cached: the next session asks the tool again.
func TestAToolThatTakesTooLong(t *testing.T) {
	dir := t.TempDir()
	tool := func(does string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "npm"), []byte("#!/bin/sh\n"+does+"\n"), 0o755))
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	tool("exec sleep 600")
	short, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	_, err := FindAccount(short, "node")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	require.ErrorContains(t, err, "npm config get registry: ")
	tool("echo https://npm.example/")
	r, err := FindAccount(t.Context(), "node")
	require.NoError(t, err)
	require.Contains(t, r.Env, "npm_config_registry=https://npm.example/")
}

func TestPipConfig(t *testing.T) {
	t.Parallel()
	require.Equal(t, map[string]string{"PIP_INDEX_URL": "https://b.example", "PIP_EXTRA_INDEX_URL": "https://c.example https://d.example"},
		pipConfig(":env:.index-url='https://b.example'\nglobal.index-url='https://a.example'\nglobal.extra-index-url='\\nhttps://c.example\\nhttps://d.example'\nglobal.cert='x'\nnonsense\n"))
}
