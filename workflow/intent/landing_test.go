package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadLanding(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"push it to cleo/split":                            "cleo/split",
		"Please push it to `cleo/split`.":                  "cleo/split",
		"ok, push the fix directly to her branch cleo/x-1": "cleo/x-1",
		"can you push this onto the cleo/split branch?":    "cleo/split",
		"push it to branch cleo, please":                   "cleo",
		"push it to main":                                  "main",
		"push it to #77":                                   "#77",
		"push it to cleo/fix#12":                           "cleo/fix#12",
		"push it to the branch cleo@home/v1, please":       "cleo@home/v1",
		"push it to her branch":                            "",
		"push the change to the PR, please":                "",
	} {
		r := Lexicon{}.Read(text)
		require.True(t, r.Lands, text)
		require.Equal(t, want, r.LandsOn, text)
		require.True(t, r.Permits(), text)
	}
	for _, text := range []string{
		"push it", "don't push it to cleo/split", "should we push it to cleo/split?", "",
		"> push it to cleo/split", "```push it to cleo/split```", "push it to cleo/split tomorrow",
		"push it to cleo/split if it is green", "push it to <@U1>", "ann said: push it to cleo/split",
		"push it to cleo/split\nno, wait", "push it to cleo/split and main", "force push it to cleo/split",
		"push it to the limit of what works", "push my branch to cleo/split",
		"push it to @cleo", "push it to cleo/fix #12",
	} {
		require.False(t, Lexicon{}.Read(text).Lands, text)
	}
}
