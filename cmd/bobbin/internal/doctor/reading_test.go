package doctor

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// A credential that may not read issues is a warning, which names the right.
func TestExamineReading(t *testing.T) {
	t.Parallel()
	for may, want := range map[bool]string{
		true:  "ok: issues, pull requests and runs that people point at can be read",
		false: "warning: what people point at cannot all be read: the credential lacks Issues: read",
	} {
		s := hosttest.Listen(hosttest.Config{
			Kind: host.GitHub, Repository: "acme/shop", Token: "tok", NoIssues: !may,
		})
		defer s.Close()
		r := repository.Repository{Pulls: repository.PullRequests{Kind: host.GitHub}}
		r.Pulls.Host = host.NewGitHub(host.GitHubConfig{
			API: s.API, Owner: "acme", Name: "shop",
			Token: func(context.Context, bool) (remote.Credential, error) {
				return remote.Credential{Password: "tok"}, nil
			},
		})
		var f List
		examineReading(t.Context(), r, &f)
		require.Equal(t, want, f[0].State+": "+f[0].What)
	}
}
