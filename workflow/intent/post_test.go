package intent

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWordsThatPostAReview(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"post it", "Please post the review.", "ok, post it to #77", "post your findings on the pull request",
		"can you post this to GitHub?", "write the review on PR #77, please",
		"post it to shop!7 now", "put the findings on the PR",
	} {
		r := Lexicon{}.Read(text)
		require.True(t, r.PostsReview, text)
		require.Equal(t, strings.Contains(text, "7"), strings.HasSuffix(r.PostsOn, "7"), text)
		require.True(t, r.Permits(), text)
	}
	for _, text := range []string{
		"don't post it", "post it later", "should we post it?", "> post it", "", "post it to <@U1>",
		"post it if cleo agrees", "ann said: post it", "post it\nno, wait", "post it to the channel",
		"posted it", "post it?", "write that", "put it on the PR", "submit it", "post it to web#3?",
	} {
		require.False(t, Lexicon{}.Read(text).PostsReview, text)
	}
}
