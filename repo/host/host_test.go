package host_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
)

const (
	token  = "tok_of_the_shop"
	reader = "tok_that_only_reads"
)

// kinds are the kinds of host, each with its name for people.
var kinds = map[string]string{host.GitHub: "GitHub", host.GitLab: "GitLab", host.Gitea: "Gitea"}

// each runs a test against every kind of host.
func each(t *testing.T, do func(t *testing.T, kind string)) {
	t.Parallel()
	for kind := range kinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			do(t, kind)
		})
	}
}

func open(t *testing.T, cfg hosttest.Config, shown string) (*hosttest.Server, host.Host) {
	t.Helper()
	cfg.Repository = "acme/shop"
	cfg.Token = token
	cfg.Reader = reader
	s := hosttest.Listen(cfg)
	t.Cleanup(s.Close)
	web := s.URL + "/acme/shop"
	sign := func(context.Context, bool) (remote.Credential, error) {
		return remote.Credential{Password: remote.Secret(shown), Name: "the token"}, nil
	}
	switch cfg.Kind {
	case host.GitLab:
		return s, host.NewGitLab(host.GitLabConfig{API: s.API, Web: web, Path: "acme/shop", Token: sign})
	case host.Gitea:
		return s,
			host.NewGitea(host.GiteaConfig{API: s.API, Web: web, Owner: "acme", Name: "shop", Token: sign})
	}
	return s,
		host.NewGitHub(host.GitHubConfig{API: s.API, Web: web, Owner: "acme", Name: "shop", Token: sign})
}

var opening = host.Opening{Branch: "bobbin/fix-1", Base: "main", Title: "Fix it", Body: "Why", Draft: true}

func TestADraftIsOpenedFoundAndFollowed(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		s, h := open(t, hosttest.Config{Kind: kind, PageSize: 1}, token)
		none, err := h.Find(t.Context(), opening.Branch)
		require.NoError(t, err)
		require.Nil(t, none)
		p, err := h.Open(t.Context(), opening)
		require.NoError(t, err)
		page := map[string]string{
			host.GitHub: "/pull/1",
			host.GitLab: "/-/merge_requests/1",
			host.Gitea:  "/pulls/1",
		}[kind]
		require.Equal(t, host.PullRequest{
			Number: 1,
			URL:    s.URL + "/acme/shop" + page,
			State:  host.Open,
			Draft:  true,
			Body:   "Why",
			Head:   "at-bobbin/fix-1",
			Base:   "main",
		}, p)
		require.Equal(t, "Fix it", s.Pulls()[0].Title)
		s.OpenFork(opening.Branch) // it is somebody else's, whatever its branch is called
		_, err = h.Open(t.Context(),
			host.Opening{Branch: "bobbin/other", Base: "main", Title: "Another", Body: "-"})
		require.NoError(t, err)
		found, err := h.Find(t.Context(), opening.Branch)
		require.NoError(t, err)
		require.Equal(t, &p, found)
		_, err = h.Open(t.Context(), opening)
		require.ErrorIs(t, err, host.ErrExists)
		require.NoError(t, h.Reword(t.Context(), 1, "Why, and why then"))
		require.Equal(t, "Why, and why then", s.Pulls()[0].Body)
		s.SetState(1, "merged")
		p, err = h.Look(t.Context(), 1)
		require.NoError(t, err)
		require.Equal(t, host.Merged, p.State)
		require.Equal(t, "merged-1", p.Merged)
		s.SetState(3, "closed")
		p, err = h.Look(t.Context(), 3)
		require.NoError(t, err)
		require.Equal(t, host.Closed, p.State)
		_, err = h.Look(t.Context(), 4)
		require.ErrorIs(t, err, host.ErrNotFound)
	})
}

// TestPagesAreReadAndKept checks that all pages are read, and that an unchanged page is not sent again.
func TestPagesAreReadAndKept(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		s, h := open(t, hosttest.Config{Kind: kind, PageSize: 2}, token)
		_, err := h.Open(t.Context(), opening)
		require.NoError(t, err)
		for i := range 5 {
			s.Say(hosttest.Comment{Number: 1, Login: "ann", Text: fmt.Sprint("comment ", i)})
		}
		s.Say(hosttest.Comment{Number: 1, Login: "ci", Text: "beside", Path: "main.go", Line: 7})
		all, err := h.Comments(t.Context(), 1)
		require.NoError(t, err)
		require.Len(t, all, 6)
		last := all[5]
		require.Equal(t,
			host.Comment{ID: last.ID, Login: "ci", Text: "beside", Path: "main.go", Line: 7, At: last.At},
			last)
		before := len(s.Calls())
		again, err := h.Comments(t.Context(), 1)
		require.NoError(t, err)
		require.Equal(t, all, again)
		for _, c := range s.Calls()[before:] {
			require.Equal(t, 304, c.Status, c.Path)
		}
	})
}

// TestAPageBehindAFullOneIsRead checks that a page added after a full, unchanged page is read.
func TestAPageBehindAFullOneIsRead(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		s, h := open(t, hosttest.Config{Kind: kind, PageSize: 1}, token)
		_, err := h.Open(t.Context(), opening)
		require.NoError(t, err)
		for n := range 3 {
			s.Say(hosttest.Comment{Number: 1, Login: "ann", Text: fmt.Sprint("comment ", n)})
			all, err := h.Comments(t.Context(), 1)
			require.NoError(t, err)
			require.Len(t, all, n+1)
		}
	})
}

func TestChecksAndTheEndOfALog(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		s, h := open(t, hosttest.Config{Kind: kind, PageSize: 1}, token)
		s.Report("c1", hosttest.Check{Name: "lint", State: "success"})
		s.Report("c1", hosttest.Check{Name: "test", State: "failure", Log: "--- FAIL: TestTotal"})
		s.Report("c1", hosttest.Check{Name: "docs", State: "pending"})
		checks, err := h.Checks(t.Context(), "c1")
		require.NoError(t, err)
		states := map[string]host.CheckState{}
		for _, c := range checks {
			states[c.Name] = c.State
			if c.Name != "test" {
				continue
			}
			log, err := h.Log(t.Context(), c)
			require.NoError(t, err)
			require.Equal(t, "--- FAIL: TestTotal", log)
		}
		require.Equal(t, map[string]host.CheckState{
			"lint": host.Passed,
			"test": host.Failed,
			"docs": host.Pending,
		}, states)
	})
}

// TestRefusals checks that a refusal which may pass by itself has Retry set and others do not, and that no
// text contains the token.
func TestRefusals(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		for name, c := range map[string]struct {
			shown string
			limit int
			say   string
			retry bool
			after time.Duration
		}{
			"a wrong token": {shown: "tok_nobodys", say: kinds[kind] + " does not accept the token"},
			"a reader":      {shown: reader, say: "the token may not do this at " + kinds[kind]},
			"a limit": {
				shown: token,
				limit: 1,
				say:   kinds[kind] + " has had too many requests",
				retry: true,
				after: 90 * time.Second,
			},
			"control: nothing ails": {shown: token},
		} {
			s, h := open(t, hosttest.Config{Kind: kind}, c.shown)
			s.Limit(c.limit, 90)
			_, err := h.Open(t.Context(), opening)
			if c.say == "" {
				require.NoError(t, err, name)
				continue
			}
			var refused *remote.Error
			require.True(t, errors.As(err, &refused), name)
			require.Contains(t, refused.Reason, c.say, name)
			require.Equal(t, c.retry, refused.Retry, name)
			require.Equal(t, c.after, refused.After, name)
			require.NotContains(t, err.Error(), c.shown, name)
			require.Empty(t, s.Pulls(), name)
		}
	})
}

func TestTheNewestCommits(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		s, h := open(t, hosttest.Config{Kind: kind}, token)
		s.Commit("first")
		s.Commit("Revert \"Fix it\"")
		all, err := h.Commits(t.Context(), "main", time.Now())
		require.NoError(t, err)
		require.Equal(t, []host.Commit{
			{Hash: "ba5e" + strings.Repeat("0", 35) + "2", Message: "Revert \"Fix it\""},
			{Hash: "ba5e" + strings.Repeat("0", 35) + "1", Message: "first"},
		}, all)
	})
}

func TestMissingRightsAreNamed(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		s, h := open(t, hosttest.Config{Kind: kind}, reader)
		missing, err := h.Missing(t.Context())
		require.NoError(t, err)
		require.Equal(t, map[string][]string{
			host.GitHub: {"Pull requests: write"},
			host.GitLab: {"the scope api"},
			host.Gitea:  {"the scope write:repository"},
		}[kind], missing)
		_, err = open2(t, kind)
		require.NoError(t, err)
		require.Empty(t, s.Pulls())
	})
}

// open2 opens a host with a token that may do everything, and checks that no right is missing.
func open2(t *testing.T, kind string) (*hosttest.Server, error) {
	t.Helper()
	s, h := open(t, hosttest.Config{Kind: kind}, token)
	missing, err := h.Missing(t.Context())
	require.Empty(t, missing)
	require.Empty(t, s.Pulls(), "nothing is opened by asking")
	return s, err
}

func TestWhereThereAreNoDraftsAnOrdinaryOneIsOpened(t *testing.T) {
	t.Parallel()
	s, h := open(t, hosttest.Config{Kind: host.GitHub, NoDrafts: true}, token)
	p, err := h.Open(t.Context(), opening)
	require.NoError(t, err)
	require.False(t, p.Draft)
	require.Len(t, s.Pulls(), 1)
}

func TestAHostThatFailsIsAskedAgain(t *testing.T) {
	each(t, func(t *testing.T, kind string) {
		var failed error
		s, h := open(t, hosttest.Config{
			Kind:   kind,
			Branch: func(string) (string, error) { return "c0ffee", failed },
		}, token)
		failed = errors.New("the disk is away")
		_, err := h.Open(t.Context(), opening)
		var refused *remote.Error
		require.ErrorAs(t, err, &refused)
		require.True(t, refused.Retry, err)
		require.Empty(t, s.Pulls())
		failed = nil
		p, err := h.Open(t.Context(), opening)
		require.NoError(t, err)
		require.Equal(t, "c0ffee", p.Head)
	})
}

// TestQuotedWordsDoNothing checks that a quoted text has no effect at a host and reads the same.
func TestQuotedWordsDoNothing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"@everybody, see @acme/team":                      "@·everybody, see @·acme/team",
		"Fixes #12, closes GH-3, !4":                      "Fixes #·12, closes GH·-3, !·4",
		"/merge\n  /approve\nand/or":                      "·/merge\n  ·/approve\nand/or",
		"<img src=https://evil.example/a.png>":            "<·img src=https://evil.example/a.png>",
		"![a](https://evil.example/a.png)":                "![a]·(https://evil.example/a.png)",
		"a < b, 50 % of x[1] stays":                       "a < b, 50 % of x[1] stays",
		"Closes https://git.example/acme/shop/-/issues/7": "Closes https://git.example/acme/shop/-/issues/·7",
		"Closes: SHOP-12, as SHOP-13 says of UTF-8":       "\"Closes\": ·SHOP-12·, as SHOP-13 says of UTF-8",
		"Hidden [skip ci]":                                "Hidden [·skip ci]",
	} {
		require.Equal(t, want, strings.ReplaceAll(host.Quote(text), "\u200b", "·"))
	}
	long := strings.Repeat("a line of a report\n", 10_000)
	require.Less(t, len(host.Body(long)), 65_536)
	require.Contains(t, host.Body(long), "The rest is in the thread.")
	require.LessOrEqual(t, len([]rune(host.Title(strings.Repeat("very ", 100)+"long"))), 200)
}

// TestWordsOfACommitDoNothing checks that a text in a commit's message has no effect at a host, and that
// what has none anyway stays.
func TestWordsOfACommitDoNothing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Fixes #12 and acme/shop#13, " +
			"as @everybody wanted": "Fixes # 12 and acme/shop# 13, as @ everybody wanted",
		"closes GH-3, GL-4, " +
			"!5 and [issue:6]": "closes GH -3, GL -4, ! 5 and [ issue:6]",
		"Resolves\nSHOP-12; " +
			"SHOP-13 stays": "Resolves\n\"SHOP-12\"; SHOP-13 stays",
		"Implements https://git.example/acme/shop/issues/7, " +
			"see https://git.example/acme/docs/7": "Implements https://git.example/acme/shop/issues/ 7, " +
			"see https://git.example/acme/docs/7",
		"[skip ci] [CI SKIP] [no ci] [actions skip] ***NO_CI***\n\nskip-checks: " +
			"true": "[ skip ci] [ CI SKIP] [ no ci] [ actions skip] *** NO_CI***\n\n\"skip-checks\" : true",
		"Wrapped [skip\nci]\n" +
			"/tag v2": "Wrapped [ skip\nci]\n /tag v2",
		"Fix CVE-2024-3094 in the parser, fix UTF-8, " +
			"fix ISO-8859-1": "Fix CVE-2024-3094 in the parser, fix UTF-8, fix ISO-8859-1",
		"Closes SHOP-1-2": "Closes \"SHOP-1-2\"",
		"Ann <ann@shop.example>, x[1], [skipped], UTF-8, a/b, list[no], " +
			"# a heading": "Ann <ann@shop.example>, x[1], [skipped], UTF-8, a/b, list[no], # a heading",
	} {
		require.Equal(t, want, host.CommitText(text))
		require.Equal(t, want, host.CommitText(want), "twice")
	}
}
