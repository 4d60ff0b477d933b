package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A pattern that is no regular expression is a problem of the file. Whoever reads the settings for all that,
// as doctor does, gets no name form for it.
func TestAWrongPatternIsLeftOut(t *testing.T) {
	t.Parallel()
	f := Naming{BranchPattern: "^fix/(", TitlePattern: "^fix: "}.Forms()
	require.Nil(t, f.Branch.Pattern)
	require.Equal(t, "^fix: ", f.Title.Pattern.String())
}
