package backport

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
)

// openHost gives the repository a git host.
func (s *scene) openHost() *hosttest.Server {
	h := hosttest.Listen(hosttest.Config{Kind: host.GitHub, Repository: "acme/shop", Token: "tok"})
	s.t.Cleanup(h.Close)
	token := func(context.Context, bool) (remote.Credential, error) {
		return remote.Credential{Password: "tok", Name: "the token"}, nil
	}
	s.Repositories[0].Pulls.Kind = host.GitHub
	s.Repositories[0].Pulls.Host = host.NewGitHub(host.GitHubConfig{
		API: h.API, Owner: "acme", Name: "shop", Token: token,
	})
	return h
}

// TestWhatTheReleaseDemandsIsSaidOnceBeforeTheProof is killed after the proof, and begins again. The control
// is a host that demands nothing.
func TestWhatTheReleaseDemandsIsSaidOnceBeforeTheProof(t *testing.T) {
	t.Parallel()
	for name, demands := range map[string]bool{"signed": true, "nothing": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			s.openHost().SetRules(hosttest.Rules{Prefix: "release/", Signed: demands})
			s.ask("1.1", s.commits[2], 1)
			s.killed("proven")
			require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
			require.Equal(t, backports.Pushed, s.row().State, s.row().Reason)
			said := s.said()
			if !demands {
				require.Len(t, said, 1)
				return
			}
			require.Len(t, said, 2)
			require.True(t, strings.HasPrefix(said[0], "What I push would be refused. The host demands "+
				"signed commits of what is merged into `release/1.1`"), said[0])
			require.Contains(t, said[1], "pushed `bobbin/x-backport-1.1`")
		})
	}
}
