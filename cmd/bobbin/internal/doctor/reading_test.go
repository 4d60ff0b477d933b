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

// Labels and people that cannot be set are a warning, with the right, the label or the person.
func TestExaminePapers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cfg  hosttest.Config
		want string
	}{
		{hosttest.Config{Kind: host.GitHub, People: []string{"dan"}}, "ok: labels and people can be set on " +
			"pull requests (asked, not tried)"},
		{hosttest.Config{Kind: host.GitHub, NoPapers: true, People: []string{"bob"}}, "warning: labels and " +
			"people cannot all be set on pull requests: there is missing Pull requests: write or Issues: " +
			"write, to set labels, somebody with the login dan who may read the repository"},
		{hosttest.Config{Kind: host.GitLab, People: []string{"dan"}}, "ok: labels and people can be set on " +
			"merge requests (asked, not tried)"},
		{
			hosttest.Config{Kind: host.Gitea, Labels: []string{"feature"}, People: []string{"dan"}},
			"warning: labels and people cannot all be set on pull requests: there is missing a label bug",
		},
	} {
		c.cfg.Repository = "acme/shop"
		c.cfg.Token = "tok"
		s := hosttest.Listen(c.cfg)
		defer s.Close()
		token := func(context.Context, bool) (remote.Credential, error) {
			return remote.Credential{Password: "tok"}, nil
		}
		r := repository.Repository{Pulls: repository.PullRequests{Kind: c.cfg.Kind}}
		switch c.cfg.Kind {
		case host.GitHub:
			r.Pulls.Host = host.NewGitHub(host.GitHubConfig{
				API: s.API, Owner: "acme", Name: "shop", Token: token,
			})
		case host.GitLab:
			r.Pulls.Host = host.NewGitLab(host.GitLabConfig{API: s.API, Path: "acme/shop", Token: token})
		default:
			r.Pulls.Host = host.NewGitea(host.GiteaConfig{
				API: s.API, Owner: "acme", Name: "shop", Token: token,
			})
		}
		var f List
		examinePapers(t.Context(), r, &f)
		require.Empty(t, f, "nothing is asked for")
		r.Pulls.Papers = repository.Papers{
			Labels: []string{"bug"}, Assignees: []string{repository.Approver, "dan"},
			Reviewers: []string{repository.Codeowners, "dan"},
		}
		examinePapers(t.Context(), r, &f)
		require.Equal(t, "warning: approver under host names nobody: people, at the top of the file, has "+
			"no logins", f[0].State+": "+f[0].What)
		r.Pulls.People = map[string]string{"ann-at-work": "U0123ABCD"}
		f = nil
		examinePapers(t.Context(), r, &f)
		require.Equal(t, c.want, f[0].State+": "+f[0].What)
	}
}

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
