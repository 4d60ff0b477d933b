package host

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// TestALogIsOfItsOwnJob checks that the log of another job is not read. In an older Gitea the address of a
// job has its position in the run, and the job with that number as its id is another one.
func TestALogIsOfItsOwnJob(t *testing.T) {
	t.Parallel()
	for said, want := range map[string]string{
		"/acme/shop/actions/runs/9/jobs/1": "it broke",
		"/acme/shop/actions/runs/2/jobs/0": "",
	} {
		var s *httptest.Server
		s = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch {
			case strings.HasSuffix(r.URL.Path, "/statuses"):
				fmt.Fprint(w, `[{"id": 1, "context": "test", "status": "failure", "target_url": `+
					`"/acme/shop/actions/runs/9/jobs/1"}]`)
			case strings.HasSuffix(r.URL.Path, "/jobs/1"):
				fmt.Fprintf(w, `{"id": 1, "html_url": %q}`, s.URL+said)
			case strings.HasSuffix(r.URL.Path, "/jobs/1/logs"):
				fmt.Fprint(w, "it broke")
			default:
				http.NotFound(w, r)
			}
		}))
		h := NewGitea(GiteaConfig{
			API:   s.URL + "/api/v1",
			Web:   s.URL + "/acme/shop",
			Owner: "acme",
			Name:  "shop",
			Token: func(context.Context, bool) (remote.Credential, error) { return remote.Credential{}, nil },
		})
		checks, err := h.Checks(t.Context(), "c0ffee")
		require.NoError(t, err)
		require.Equal(t, []Check{{
			ID: "1", Name: "test", State: Failed, URL: s.URL + "/acme/shop/actions/runs/9/jobs/1",
		}}, checks)
		log, err := h.Log(t.Context(), checks[0])
		require.NoError(t, err)
		require.Equal(t, want, log)
		s.Close()
	}
}
