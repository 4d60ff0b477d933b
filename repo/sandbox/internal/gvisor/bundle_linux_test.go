package gvisor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
)

// This test checks the parts of the bundle's configuration that no probe covers.
func TestBundle(t *testing.T) {
	t.Parallel()
	l := backend.Layout{
		Fill:   1 << 20,
		System: []backend.Bind{{Host: "/usr", Inside: "/usr"}, {Host: "/etc/localtime", Inside: "/etc/localtime"}},
		Binds:  []backend.Bind{{Host: "/w", Inside: "/src", Writable: true}, {Host: "/f", Inside: "/one"}, {Host: "/g", Inside: "/two", Writable: true}},
	}
	s := newSpec(l, func(inside string) bool { return inside == "/usr" || inside == "/src" })
	require.True(t, s.Root.ReadOnly)
	require.True(t, s.Process.NoNewPrivs)
	require.Empty(t, s.Process.Env)
	require.Empty(t, s.Process.Capabilities)
	var kinds []string
	for _, n := range s.Linux.Namespaces {
		kinds = append(kinds, n.Type)
	}
	require.ElementsMatch(t, []string{"user", "pid", "mount", "network", "ipc", "uts"}, kinds)
	at := map[string]string{}
	for _, m := range s.Mounts {
		at[m.Destination] = m.Source + " " + strings.Join(m.Options, ",")
		require.Contains(t, m.Options, "nosuid", m.Destination)
	}
	require.Equal(t, "/bundle/rootfs/usr rbind,ro,nosuid,nodev", at["/usr"])
	require.Equal(t, "/bundle/rootfs/src rbind,rw,nosuid,nodev", at["/src"])
	require.Equal(t, "/bundle/rootfs/two rbind,rw,nosuid,nodev", at["/two"])
	require.NotContains(t, at, "/one", "files that are only read stand in the root, which is read-only")
	require.Equal(t, "tmpfs size=1048576,mode=1777,nosuid,nodev", at["/tmp"])
}
