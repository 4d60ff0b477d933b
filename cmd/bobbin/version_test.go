package main

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheVersionNamesTheCommit checks what --version prints of each kind of build.
func TestTheVersionNamesTheCommit(t *testing.T) {
	t.Parallel()
	const hash = "9c0f4159c3d1aa8b6c0b7d2e5f3a1b4c6d8e0f12"
	checkout := func(modified string) []debug.BuildSetting {
		return []debug.BuildSetting{
			{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: hash}, {Key: "vcs.time", Value: "2026-11-30T23:52:36Z"},
			{Key: "vcs.modified", Value: modified},
		}
	}
	for name, c := range map[string]struct {
		version, commit, date string // set by -ldflags
		module                string
		settings              []debug.BuildSetting
		want                  string
	}{
		"a checkout":              {"dev", "", "", "(devel)", checkout("false"), "dev (commit 9c0f4159c3d1, 2026-11-30)"},
		"a checkout, by a new go": {"dev", "", "", "v0.2.1-0.20261130235236-9c0f4159c3d1", checkout("false"), "dev (commit 9c0f4159c3d1, 2026-11-30)"},
		"a changed checkout":      {"dev", "", "", "v0.0.0-20261130235236-9c0f4159c3d1+dirty", checkout("true"), "dev (commit 9c0f4159c3d1-dirty, 2026-11-30)"},
		"a release":               {"0.3", "", "", "v0.3.0", checkout("false"), "0.3 (commit 9c0f4159c3d1, 2026-11-30)"},
		"make, without VCS":       {"dev", "9c0f4159c3d1-dirty", "2026-11-30", "(devel)", nil, "dev (commit 9c0f4159c3d1-dirty, 2026-11-30)"},
		"an image without a date": {"0.3", "9c0f4159c3d1", "", "(devel)", nil, "0.3 (commit 9c0f4159c3d1)"},
		"go install of a tag":     {"dev", "", "", "v0.3.0", nil, "v0.3.0 (unknown commit)"},
		"go install of a commit":  {"dev", "", "", "v0.0.0-20261130235236-9c0f4159c3d1", nil, "dev (commit 9c0f4159c3d1, 2026-11-30)"},
		"-buildvcs=false":         {"dev", "", "", "(devel)", nil, "dev (unknown commit)"},
		"nothing recorded":        {"dev", "", "", "", nil, "dev (unknown commit)"},
	} {
		built := &debug.BuildInfo{Main: debug.Module{Version: c.module}, Settings: c.settings}
		require.Equal(t, c.want, describeBuild(c.version, c.commit, c.date, built), name)
	}
}
