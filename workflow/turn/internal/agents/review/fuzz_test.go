package review

import (
	"io/fs"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/decision"
)

// FuzzCheck checks that every finding that is kept quotes a line that exists, whatever place a model
// names.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		"money/split.go:4", "`./money/split.go:4-6`", "money/old.go:9", "../x:1", "/etc/passwd:1", ".env:1",
		"a:99999999999999999999", "", "money/split.go:4:4", "\xff:1", "a\nb:1",
	} {
		f.Add(seed, decision.FoundDeadCode)
		f.Add(seed, decision.FoundUnrelated)
	}
	files, hunks := work()
	f.Fuzz(func(t *testing.T, place, kind string) {
		v := Check(
			decision.Review{Findings: []decision.Finding{{Place: place, Kind: kind, What: place}}},
			Asked{}, files, hunks,
		)
		require.NotNil(t, v.Findings)
		for _, x := range v.Findings {
			require.NotEmpty(t, x.Quoted)
			require.True(t, fs.ValidPath(x.Path))
			require.NotContains(t, v.ForThread(), "\n")
		}
		require.Len(t, v.Standing(files), len(v.Findings))
	})
}
