package backport

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
)

// The name of the new test is a secret that only the release's .env has. It is masked in the line, behind its
// button and in the pull request.
func TestSecretsOfTheReleaseAreMasked(t *testing.T) {
	t.Parallel()
	names := strings.Replace(rests, "    def test_rest", "    def check", 1) +
		"\n\nsetattr(Rest, \"test_\" + open(\".env\").read().strip().partition(\"=\")[2], Rest.check)\n"
	for _, withFix := range []bool{true, false} {
		s := open(t)
		s.Secrets = redact.New()
		s.openHost()
		s.git("branch", "-f", "release/1.1",
			s.push(s.commits[0], repotest.Files{".env": "DB_PASSWORD=moss_covered_bucket\n"}))
		change := repotest.Files{"test_rest.py": names}
		if withFix {
			change["money.py"] = fixed
		}
		s.ask("1.1", s.push(s.commits[1], change), 1)
		require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
		var behind string
		require.NoError(t, s.Rows.Store.Pool.QueryRow(t.Context(),
			`select string_agg(means, ' ') from buttons`).Scan(&behind))
		shown := append(s.said(), behind)
		if row := s.row(); withFix {
			require.Equal(t, backports.Pushed, row.State, row.Reason)
			shown = append(shown, row.Told.Pull.Body)
		} else {
			require.Equal(t, backports.Refused, row.State)
		}
		require.NotContains(t, strings.Join(shown, "\n"), "bucket")
		require.Contains(t, shown[len(shown)-1], "test_[masked: configured]")
		require.Contains(t, behind, "test_[masked: configured]")
	}
}
