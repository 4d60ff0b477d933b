package lookback

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

// Known returns the newest result for the same command at the same commit of the same repository.
func TestKnown(t *testing.T) {
	t.Parallel()
	looked := func(command string, releases ...workflow.ReleaseVerdict) workflow.Lookback {
		return workflow.Lookback{
			Repository: "shop",
			Base:       "b1",
			Probe:      []byte(`{"Command": "` + command + `"}`),
			Found:      &workflow.LookbackFound{Releases: releases},
		}
	}
	red := workflow.ReleaseVerdict{Name: "v1.1", Answer: "red"}
	green := workflow.ReleaseVerdict{Name: "v1.1", Answer: "green"}
	done := []workflow.Lookback{looked("make a", red), looked("make b", green), looked("make a")}
	require.Equal(t, "Also red on v1.1", Known(done, "shop", "b1", "make a"))
	require.Equal(t, "Green on v1.1", Known(done, "shop", "b1", "make b"))
	for _, other := range [][3]string{
		{"site", "b1", "make a"}, {"shop", "b2", "make a"}, {"shop", "b1", "make c"},
	} {
		require.Empty(t, Known(done, other[0], other[1], other[2]), other)
	}
	done[0].Probe = []byte("not JSON")
	require.Empty(t, Known(done, "shop", "b1", "make a"))
}
