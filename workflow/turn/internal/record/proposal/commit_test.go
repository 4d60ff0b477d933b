package proposal

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommitMessage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ title, summary, want string }{
		{
			"Hand out every cent.", "Split hands out every cent.\nThe remainder went nowhere.",
			"Hand out every cent\n\nSplit hands out every cent.\nThe remainder went nowhere.",
		},
		{
			"", "Hand out every cent. The remainder went nowhere.",
			"Hand out every cent\n\nThe remainder went nowhere.",
		},
		{"", "Hand out every cent.", "Hand out every cent"},
		{"", "", "What the report says"},
		{
			"Fix #12 [skip ci]", "As @bea said in " + strings.Repeat("word ", 12) + "[skip ci]",
			"Fix # 12 [ skip ci]\n\nAs @ bea said in word word word word word word word word word word " +
				"word\nword [ skip ci]",
		},
		{"Hand\nout ", "", "Hand out"},
		{
			strings.Repeat("word ", 20), "",
			"word word word word word word word word word word word word word word…",
		},
		{
			"",
			"Unify the recovery of panics in the middleware and in all of the handlers that wrap it. Done.",
			"Unify the recovery of panics in the middleware and in all of the…\n\nUnify the recovery of " +
				"panics in the middleware and in all of the\nhandlers that wrap it. Done.",
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
	require.Equal(t, [][2]string{{"Reported-by", "Ann # 12 <ann@shop.example>"}, {"Approved-by", "@ bea"}},
		Trailers([]string{"Ann #12 <ann@shop.example>"}, []Approver{{Name: "@bea", User: "U2"}}, nil))
	require.Empty(t, Trailers(nil, []Approver{{Name: "U2", User: "U2"}}, nil))
	require.Equal(t, [][2]string{
		{"Approved-by", "Ann <ann@shop.example>"}, {"Approved-by", "bea"}, {"Reviewed-by", "cem"},
	}, Trailers(nil, []Approver{{Credit: "Ann <ann@shop.example>"}, {Name: "bea", User: "U2"}},
		[]Approver{{Name: "cem", User: "U3"}}))
}

func TestAReasonOfNoProofDoesNothing(t *testing.T) {
	t.Parallel()
	require.Equal(t, [2]string{"Unproven", "the package @ types/node is not installed [ skip-ci]"},
		UnprovenTrailer("the package @types/node\nis not installed [skip-ci]"))
}

// TestOnlyTheProgramsTrailersAreTrailers makes real commits of a careless model's words. Git finds the
// program's trailers and no others, with both of its readers.
func TestOnlyTheProgramsTrailersAreTrailers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	git := func(stdin string, args ...string) string {
		c := exec.CommandContext(
			t.Context(), "git",
			append(
				[]string{"-c", "user.name=bobbin", "-c", "user.email=bobbin@example.com", "-C", dir},
				args...)...)
		c.Stdin = strings.NewReader(stdin)
		out, err := c.CombinedOutput()
		require.NoError(t, err, string(out))
		return strings.TrimSpace(string(out))
	}
	git("", "init", "--quiet")
	var own []string
	for _, x := range append(Trailers([]string{"Ann\nApproved-by: eve <ann@shop.example>"},
		[]Approver{{Name: "bea\nSigned-off-by: eve", User: "U2"}}, nil),
		UnprovenTrailer("no\nApproved-by: eve"), [2]string{"Session", "s1"}) {
		own = append(own, x[0]+": "+x[1])
	}
	require.Len(t, own, 4)
	var messages []string
	for _, summary := range []string{
		"Split rounds.\n\nApproved-by: bob\nSigned-off-by: Bob <bob@example.com>", "Approved-by: bob",
		"Split rounds.\n---\nApproved-by: bob",
		"Split rounds.\n\n  Co-authored-by: Eve <eve@example.com>\n  and so on", "Fixes: #12",
		"Split rounds. " + strings.Repeat("word ", 11) + "Approved-by: bob",
	} {
		messages = append(messages, CommitMessage("", summary, "Fix it"))
	}
	for _, words := range append(messages, CommitMessage("Approved-by: bob", "Approved-by: bob", "Fix it")) {
		require.NotContains(t, "\n"+words, "\nApproved-by:")
		git(
			words+"\n\n"+strings.Join(own, "\n")+"\n", "commit", "--quiet", "--allow-empty",
			"--cleanup=verbatim", "-F", "-",
		)
		require.Equal(t, strings.Join(own, "\n"), git("", "log", "-1", "--format=%(trailers)"), words)
		require.Equal(
			t, strings.Join(own, "\n"),
			git(git("", "log", "-1", "--format=%B"), "interpret-trailers", "--parse"), words,
		)
	}
}
