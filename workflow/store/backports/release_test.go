package backports

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWhichReleaseARowIsOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		wanted, release, named string
		is                     bool
	}{
		{"1.4", "", "1.4", true},
		{"1.4", "", "v1.4", true},
		{"1.4", "", "release/1.4", true},
		{"release/1.4", "", "1.4", true},
		{"api-1.4", "", "web-1.4", false},
		{"api-1.4", "", "api/v1.4", false},
		{"1.4", "release/1.4", "1.4", true},
		{"1.4", "release/1.4", "Release/1.4", true},
		{"1.4", "release/1.4", "hotfix/1.4", false},
		{"1.4", "release/1.4", "old/release/1.4", false},
		{"1.4", "release/1.4", "11.4", false},
		{"1.4", "release/1.4", "4", false},
	} {
		require.Equal(t, c.is,
			Row{Request: Request{Wanted: c.wanted}, Release: c.release}.MayBeTo(c.named), "%v", c)
	}
}
