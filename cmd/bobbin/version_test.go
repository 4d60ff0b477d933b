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
			{Key: "vcs", Value: "git"},
			{Key: "vcs.revision", Value: hash},
			{Key: "vcs.time", Value: "2026-11-30T23:52:36Z"},
			{Key: "vcs.modified", Value: modified},
		}
	}
	type build struct {
		version, commit, date string // set by -ldflags
		module                string
		settings              []debug.BuildSetting
	}
	const pseudo = "v0.2.1-0.20261130235236-9c0f4159c3d1"
	for want, builds := range map[string][]build{
		"dev (commit 9c0f4159c3d1, 2026-11-30, go1.26.1)": {
			{"dev", "", "", "(devel)", checkout("false")},
			{"dev", "", "", pseudo, checkout("false")}, // newer go commands record a version of their own
			{"dev", "", "", pseudo, nil},               // go install …@main
			{"dev", "", "", "v0.0.0-20261130235236-9c0f4159c3d1", nil},
		},
		"dev (commit 9c0f4159c3d1-dirty, 2026-11-30, go1.26.1)": {
			{"dev", "", "", "(devel)", checkout("true")},
			{"dev", "", "", pseudo + "+dirty", checkout("true")},
			{"dev", "9c0f4159c3d1-dirty", "2026-11-30", "(devel)", nil}, // make build
		},
		// a release, and an image
		"0.3 (commit 9c0f4159c3d1, 2026-11-30, go1.26.1)": {{"0.3", "", "", "v0.3.0", checkout("false")}},
		"0.3 (commit 9c0f4159c3d1, go1.26.1)":             {{"0.3", "9c0f4159c3d1", "", "(devel)", nil}},
		// go install …@v0.3.0
		"v0.3.0 (unknown commit, go1.26.1)": {{"dev", "", "", "v0.3.0", nil}},
		"dev (unknown commit, go1.26.1)": {
			{"dev", "", "", "(devel)", nil}, // -buildvcs=false
			{"dev", "", "", "", nil},
		},
	} {
		for _, b := range builds {
			built := &debug.BuildInfo{
				GoVersion: "go1.26.1", Main: debug.Module{Version: b.module}, Settings: b.settings,
			}
			require.Equal(t, want, describeBuild(b.version, b.commit, b.date, built), "%+v", b)
		}
	}
}
