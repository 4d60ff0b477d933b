package doctor

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/repo/tracker"
	"github.com/bobbinhq/bobbin/repo/tracker/trackertest"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// A credential that may not file issues is a warning, which names the right. Where a tracker has the issues,
// the host is not asked.
func TestExamineFiling(t *testing.T) {
	t.Parallel()
	for may, want := range map[bool]string{
		true: `ok: issues can be filed from threads ("file it")`,
		false: `warning: no issue can be filed from a thread ("file it"): the credential lacks ` +
			"the permission Issues: Read and write",
	} {
		s := hosttest.Listen(hosttest.Config{
			Kind: host.GitHub, Repository: "acme/shop", Token: "tok", NoFiling: !may,
		})
		defer s.Close()
		r := repository.Repository{}
		r.Pulls.Kind = host.GitHub
		r.Pulls.Web = "https://x/acme/shop"
		r.Pulls.Host = host.NewGitHub(host.GitHubConfig{
			API: s.API, Owner: "acme", Name: "shop",
			Token: func(context.Context, bool) (remote.Credential, error) {
				return remote.Credential{Password: "tok"}, nil
			},
		})
		var f List
		d := &Doctor{}
		d.examineFiling(t.Context(), r, &f)
		require.Equal(t, want, f[0].State+": "+f[0].What)
		require.Empty(t, s.Issues())

		jira, err := tracker.New(tracker.Config{
			Kind: tracker.Jira, URL: "https://x", Projects: []string{"SHOP"}, FileIn: "SHOP",
		})
		require.NoError(t, err)
		d.settings.Trackers = []*tracker.Tracker{jira}
		var none List
		d.examineFiling(t.Context(), r, &none)
		require.Empty(t, none)
	}
}

// A tracker that is to be written to is asked whether the token may, and nothing is written.
func TestExamineWriting(t *testing.T) {
	t.Parallel()
	for readOnly, want := range map[bool]string{
		false: "ok: issues are filed in SHOP, as the token may",
		true: "problem: issues are filed in SHOP, which is refused: the token may not write there " +
			"(HTTP 403)",
	} {
		s := trackertest.Listen(tracker.Jira, "SHOP")
		defer s.Close()
		if readOnly {
			s.ReadOnly()
		}
		one, err := tracker.New(tracker.Config{
			Kind: tracker.Jira, URL: s.URL, Token: trackertest.Token, Projects: []string{"SHOP"},
			FileIn: "SHOP", Comments: true,
		})
		require.NoError(t, err)
		var f List
		(&Doctor{}).examineTracker(t.Context(), one, &f)
		require.Len(t, f, 2)
		require.Equal(t, want, f[1].State+": "+f[1].What)
		require.Empty(t, s.Issues())
	}
}
