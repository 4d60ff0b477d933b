package proposal

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommitMessage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ title, summary, want string }{
		{"Hand out every cent.", "Split hands out every cent.\nThe remainder went nowhere.", "Hand out every cent\n\nSplit hands out every cent.\nThe remainder went nowhere."},
		{"", "Hand out every cent. The remainder went nowhere.", "Hand out every cent\n\nThe remainder went nowhere."},
		{"", "Hand out every cent.", "Hand out every cent"},
		{"", "", "What the report says"},
		{"Fix #12 [skip ci]", "As @bea said in " + strings.Repeat("word ", 12) + "[skip ci]", "Fix # 12 [ skip ci]\n\nAs @ bea said in word word word word word word word word word word word\nword [ skip ci]"},
		{"Hand\nout ", "", "Hand out"},
		{
			strings.Repeat("word ", 20), "", "word word word word word word word word word word word word word word…",
		},
		{
			"", "Unify the recovery of panics in the middleware and in all of the handlers that wrap it. Done.",
			"Unify the recovery of panics in the middleware and in all of the…\n\nUnify the recovery of panics in the middleware and in all of the\nhandlers that wrap it. Done.",
		},
	} {
		got := CommitMessage(c.title, c.summary, "What the report says.")
		require.Equal(t, c.want, got)
		subject, _, _ := strings.Cut(got, "\n")
		require.LessOrEqual(t, len([]rune(subject)), 72)
	}
}

// TestTrailersDoNothing checks that a person's name has no effect at a host, and that an address stays.
func TestTrailersDoNothing(t *testing.T) {
	t.Parallel()
	require.Equal(t, [][2]string{{"Reported-by", "Ann # 12 <ann@shop.example>"}, {"Approved-by", "@ bea"}}, Trailers([]string{"Ann #12 <ann@shop.example>"}, "", "@bea", "U2"))
	require.Empty(t, Trailers(nil, "", "U2", "U2"))
}

func TestAReasonOfNoProofDoesNothing(t *testing.T) {
	t.Parallel()
	require.Equal(t, [2]string{"Unproven", "the package @ types/node is not installed [ skip-ci]"}, UnprovenTrailer("the package @types/node\nis not installed [skip-ci]"))
}
