package host_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/host"
)

// FuzzAnswers gives each kind of client an arbitrary response, and checks that nothing panics, that no page
// outside the repository is returned, and that no error contains the token.
func FuzzAnswers(f *testing.F) {
	f.Add(200, "", `[{"number": 1, "html_url": "https://evil.example/acme/shop/pull/1", "state": "open", `+
		`"head": {"ref": "b"}}]`)
	f.Add(200, `<https://evil.example/?page=2>; rel="next"`,
		`{"check_runs": [{"id": 7, "status": "completed", "conclusion": "failure"}], "statuses": [{}]}`)
	f.Add(200, "", `{"number": 1, "iid": 1, "id": 7, "labels": ["a"], "pull_request": {}, "html_url": "x"}`)
	f.Add(403, "", `{"message": "tok_of_the_shop may not", "errors": [{"message": "x"}]}`)
	f.Add(422, "", `{"message": ["a", "b"], "error": {"source": ["c"]}}`)
	f.Add(429, "Retry-After: 99999999999", "<html>")
	f.Add(304, "", "")
	f.Fuzz(func(t *testing.T, status int, link, body string) {
		if status < 200 || status > 599 {
			return
		}
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header()["Link"] = []string{strings.Map(func(r rune) rune {
				if r < ' ' || r > '~' {
					return -1
				}
				return r
			}, link)}
			w.Header().Set("Retry-After", strings.TrimPrefix(w.Header().Get("Link"), "Retry-After: "))
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
		defer s.Close()
		web := s.URL + "/acme/shop"
		sign := func(context.Context, bool) (remote.Credential, error) {
			return remote.Credential{Password: token}, nil
		}
		for _, h := range []host.Host{
			host.NewGitHub(host.GitHubConfig{API: s.URL, Web: web, Owner: "acme", Name: "shop", Token: sign}),
			host.NewGitLab(host.GitLabConfig{API: s.URL, Web: web, Path: "acme/shop", Token: sign}),
			host.NewGitea(host.GiteaConfig{API: s.URL, Web: web, Owner: "acme", Name: "shop", Token: sign}),
		} {
			p, err := h.Look(t.Context(), 1)
			if p.URL != "" && !strings.HasPrefix(strings.ToLower(p.URL), web+"/") {
				t.Errorf("%s is not the repository's", p.URL)
			}
			_, checks := h.Checks(t.Context(), "c0ffee")
			_, comments := h.Comments(t.Context(), 1)
			_, found := h.Find(t.Context(), "bobbin/x")
			_, opened := h.Open(t.Context(), host.Opening{Branch: "b", Base: "main", Title: "t", Draft: true})
			_, issue := h.Issue(t.Context(), 1, false)
			_, run := h.Run(t.Context(), "7", "")
			_, unreadable := h.Unreadable(t.Context())
			filed, filing := h.FileIssue(t.Context(), "t", "b")
			if filed.URL != "" && !strings.HasPrefix(strings.ToLower(filed.URL), web+"/") {
				t.Errorf("%s is not the repository's", filed.URL)
			}
			_, finding := h.FindIssue(t.Context(), mark, time.Now())
			_, unfilable := h.Unfilable(t.Context())
			for _, err := range []error{
				err, checks, comments, found, opened, issue, run, unreadable, filing, finding, unfilable,
			} {
				if err != nil && strings.Contains(err.Error(), token) {
					t.Errorf("the token is told: %v", err)
				}
			}
		}
	})
}
