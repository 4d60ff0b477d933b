package host_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
)

func TestWhoMayReadARepository(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		for want, cfg := range map[host.Visibility]hosttest.Config{
			host.Public:   {},
			host.Private:  {Private: true},
			host.Internal: {Private: kind == host.GitHub, Internal: true},
		} {
			cfg.Kind = kind
			_, h := open(t, cfg, token)
			got, err := h.Visibility(t.Context())
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
		_, h := open(t, hosttest.Config{Kind: kind}, "tok_of_nobody")
		_, err := h.Visibility(t.Context())
		require.Error(t, err)
	})
}
