package evidence

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/findings"
)

// FuzzClaims checks that whatever a model names as a source or a command, what was not seen is
// reported, and a command that the session ran is accepted.
func FuzzClaims(f *testing.F) {
	for _, seed := range []string{
		"src/a.go:12", "`src/a.go:12-20`, b.go:3", "./a/b.c:1–2", "go test ./...",
		"a/b.go:99999999999999999999-1", "go test || true", "x | tail -1;", "a\necho done\n", "", "`",
		"run 7", "the output of check 12: a.go:3", "cat > x <<'EOF' && sh x\nrun 9\nEOF",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, source string) {
		for _, p := range PlacesOf(source) {
			require.Contains(t, source, p.Path)
			require.GreaterOrEqual(t, p.Last, p.First)
			require.False(t, Past{}.Read(p))
		}
		evidence := []workflow.Evidence{{Claim: "x", Grade: "observed", Source: source}}
		require.Equal(t, len(PlacesOf(source)) > 0,
			strings.Contains(Past{}.NotSeen(evidence), "You have not read"))
		if strings.TrimSpace(source) != "" && strings.Trim(source, "` \n\t") != "" {
			require.NotContains(t, Past{
				Commands: []progress.Command{{Command: strings.Trim(source, "` \t\r\n\v\f")}},
			}.NotSeen(evidence), "You have not read")
		}
		require.Empty(t, Past{
			Sources:  []string{"loki"},
			Messages: called("source_loki_x", `{"q":"`+"`"+`"}`, "x"),
		}.NotSeen(
			[]workflow.Evidence{{Grade: "observed", Source: "loki: " +
				strings.NewReplacer("`", "", "{", "").Replace(source)}}))
		require.Equal(t, source, Past{}.WithRuns(source))
		name := findings.CommandName(source)
		require.NotEmpty(t, name)
		require.NotContains(t, name, "\n")
		_ = Past{}.WeakReproduction(progress.Command{Command: source, ExitCode: 1}, nil)
	})
}
