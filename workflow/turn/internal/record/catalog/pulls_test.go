package catalog

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// TestPullMentions checks which pull requests and runs a text may be about.
func TestPullMentions(t *testing.T) {
	t.Parallel()
	shop := repositoryOf("shop")
	shop.URL = "https://git.example/acme/shop.git"
	shop.Pulls.Kind = host.GitLab
	const page = "https://git.example/acme/shop"
	for text, want := range map[string]string{
		"PR #77 of cleo fails in TestRefund, please fix it there": "77!",
		"what do you think of #77?":                               "77",
		"@bobbin review !77 please":                               "77",
		"please look at shop#77":                                  "77",
		"look at web#77":                                          "",
		"pull request 77 is red":                                  "77",
		"PR 77 of shop: TestRefund fails":                         "77",
		"MR !77 fails":                                            "77!",
		"#77 fails in TestRefund":                                 "77",
		"<" + page + "/pull/77/files|cleo's pull> is red":         "77!",
		"fix " + page + "/-/merge_requests/77":                    "77!",
		"please review " + page + "/pull/77.":                     "77!",
		"can you help with #77":                                   "77",
		"this is red: " + page + "/actions/runs/99/job/5?pr=7":    "run 99 5!",
		page + "/-/jobs/6 fails":                                  "run  6!",
		"PR #77 fails, and PR #77 is red":                         "77!",
		"PR #77 and PR #78 fail":                                  "77! 78!",
		"the total is wrong since #77":                            "",
		"it fails, see PR #77 and " + page + "/pull/78":           "78!",
		"PR #77 caused it":                                        "",
		"like in PR #77":                                          "",
		"not in PR #77":                                           "",
		"revert PR #77":                                           "",
		"the fix came with PR #77":                                "",
		"a total of #77 items":                                    "",
		"the #1 thing to fix; 3 PRs are open":                     "",
		"https://git.example/acme/other/pull/77":                  "",
		"https://evil.example/acme/shop/pull/77":                  "",
		"the total is wrong, #77":                                 "",
		"#77":                                                     "77",
		"<@U1> shop#77.":                                          "77",
		"APR 77 is the date, sprint 77, PR":                       "",
		"PR-77 in Jira; MR77":                                     "77",
		"PR #1 of cleo loses the rest with 3 people, please fix it there": "1!",
		"PR #77 fails with KeyError":                                      "77!",
		"PR #77 from cleo fails":                                          "77!",
		"PR #77 does not build":                                           "77!",
		"PR #77 is not green, fix it there":                               "77!",
		"review #77 by cleo":                                              "77",
		"please review PR #77 before I merge it":                          "77!",
		"please fix split, Don't touch PR #1":                             "",
		"ignore PR #77":                                                   "",
		"never push to PR #77":                                            "",
		"without PR #77":                                                  "",
		"I think PR #77 broke split":                                      "",
		"what do you think of PR #77":                                     "77!",
		"split is broken on main; PR #77 is blocked on this":              "",
		"3 open PRs 2 of which are red, Mrs 5 complained":                 "",
		"#1 priority: the total":                                          "",
		"#1 customer complaint is slow":                                   "",
		"wrong in #77 cases":                                              "",
		"check #2 fails in CI":                                            "",
		"wow !1":                                                          "",
		"\x01pull 5\x01":                                                  "",
		"the run " + page + "/actions/runs/99 was green before #77 came":  "",
	} {
		var got []string
		for _, m := range pullMentions(text, shop) {
			name := fmt.Sprint(m.number)
			if m.number == 0 {
				name = "run " + m.run + " " + m.job
			}
			if m.sure {
				name += "!"
			}
			got = append(got, name)
		}
		require.Equal(t, want, strings.Join(got, " "), text)
	}
}

// FuzzPullMentions checks that no text leads to more than it names, or to a number that cannot be.
func FuzzPullMentions(f *testing.F) {
	for _, text := range []string{
		"PR #77 fails", "#77 is red", "https://git.example/acme/shop/actions/runs/99/job/5", "\x01pull 5\x01",
		"<https://git.example/acme/shop/pull/7|x>", "!7 MR MR MR 7", "#99999999999999999999",
	} {
		f.Add(text)
	}
	shop := repositoryOf("shop")
	shop.URL = "https://git.example/acme/shop.git"
	f.Fuzz(func(t *testing.T, text string) {
		for _, m := range pullMentions(text, shop) {
			require.True(t, m.number > 0 != (m.run+m.job != ""), "%q: %v", text, m)
			n, ok := pullNumber(fmt.Sprint("#", m.number))
			require.Equal(t, m.number > 0, ok)
			require.True(t, n == m.number || m.number == 0)
		}
		_, _ = pullNumber(text)
	})
}

const pullToken = "tok_of_the_shop"

// hostsOf returns a client of each kind of host for its server.
func hostsOf(kind string, s *hosttest.Server) host.Host {
	token := func(context.Context, bool) (remote.Credential, error) {
		return remote.Credential{Password: pullToken}, nil
	}
	web := s.URL + "/acme/shop"
	switch kind {
	case host.GitHub:
		return host.NewGitHub(host.GitHubConfig{
			API: s.API, Web: web, Owner: "acme", Name: "shop", Token: token,
		})
	case host.GitLab:
		return host.NewGitLab(host.GitLabConfig{API: s.API, Web: web, Path: "acme/shop", Token: token})
	}
	return host.NewGitea(host.GiteaConfig{API: s.API, Web: web, Owner: "acme", Name: "shop", Token: token})
}

// TestWhichPullRequestIsTheBase checks, at each kind of host, what becomes of a pull request that a message
// names, and of a run.
func TestWhichPullRequestIsTheBase(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{host.GitHub, host.GitLab, host.Gitea} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			s := hosttest.Listen(hosttest.Config{Kind: kind, Repository: "acme/shop", Token: pullToken})
			t.Cleanup(s.Close)
			branches := []string{"main", "cleo/split", "bobbin/fix-7", "cleo/merged"}
			for _, branch := range append(branches, "cleo/gone") {
				s.OpenPull(hosttest.Pull{Branch: branch, Base: "main", Title: "T", Login: "cleo"})
			}
			s.SetState(4, "merged")
			s.OpenFork("main") // number 6
			for id, branch := range map[int64]string{1: "cleo/split", 2: "main", 3: "cleo/merged", 4: "x"} {
				s.AddRun(hosttest.Run{
					ID: id, State: "failure", Branch: branch, Commit: "c", Jobs: []hosttest.Check{{ID: id}},
				})
			}
			s.SetIssue(hosttest.Issue{Number: 412, Title: "A cent is lost"})
			web := s.URL + "/acme/shop"
			r := repository.Repository{Remote: remote.Remote{Name: "shop", URL: web + ".git"}, Base: "main"}
			r.Pulls = repository.PullRequests{Kind: kind, Web: web, Host: hostsOf(kind, s)}
			pr := pullReader{
				repository: r, warn: slog.New(slog.DiscardHandler).Warn,
				hasBranch: func(name string) bool { return slices.Contains(branches, name) },
				isOwn: func(_ context.Context, p host.Issue) (bool, error) {
					return p.Branch == "bobbin/fix-7", nil
				},
			}
			name := r.Pulls.Words().Mark
			run := web + map[string]string{
				host.GitHub: "/actions/runs/", host.GitLab: "/-/pipelines/", host.Gitea: "/actions/runs/",
			}[kind]
			is := func(n int) string { return name + fmt.Sprint(n) }
			hers := Base{Name: "cleo/split", Pull: 2, Into: "main", Said: "by cleo."}
			const unread = " at the git host: it is not there"
			for text, want := range map[string]Base{
				"PR 2 is red":                   hers,
				"what do you think of " + is(2): hers,
				"red: " + run + "1":             hers,
				"red: " + run + "2":             {},
				"red: " + run + "3":             {Said: "The run is of `cleo/merged`: reply `branch: NAME`"},
				"red: " + run + "99":            {Said: "I cannot read the run" + unread},
				"PR 3 is red":                   {Said: " of my own: reply in its thread."},
				"PR 4 is red":                   {Said: is(4) + " was merged into `main` already."},
				"PR 5 is red":                   {Said: "The branch of " + is(5) + " is not there any more."},
				"PR 6 is red": {
					Name: is(6), Commit: "of-the-fork", Pull: 6, Into: "main", Said: "from a fork",
				},
				"PR #99 is red":         {Said: "I cannot read " + is(99) + unread},
				"what about #412":       {},
				"is #412 fixed":         {},
				"PR 2 and PR 6 are red": {Said: "are named (" + is(2) + ", " + is(6) + "). Reply"},
			} {
				got, err := pr.baseOf(t.Context(), pullMentions(text, r))
				require.NoError(t, err)
				require.Contains(t, got.Said, want.Said, text)
				require.Equal(t, want.Said == "", got.Said == "", text)
				require.Equal(t, want.Pull > 0, got.Note != "", text)
				want.Said = got.Said
				want.Note = got.Note
				require.Equal(t, want, got, text)
			}
			s.Instead("/2", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) })
			got, err := pr.baseOf(t.Context(), pullMentions("PR 2 is red", r))
			require.NoError(t, err)
			require.Contains(t, got.Said, "I cannot read "+is(2))
			require.Empty(t, got.Name)
		})
	}
}
