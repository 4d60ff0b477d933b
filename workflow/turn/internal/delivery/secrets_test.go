package delivery

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/diff"
)

func TestAddedLinesAndTheirNumbers(t *testing.T) {
	t.Parallel()
	text, lines := addedLines(diff.Hunk{
		NewStart: 7,
		Text:     "@@ -7,3 +7,4 @@ func f()\n a\n-b\n+c\n+d\n e\n+f\n\\ No newline at end of file\n",
	})
	require.Equal(t, "c\nd\nf\n", text)
	require.Equal(t, []int{8, 9, 11}, lines)
}

// The thread is told of each place once for each attempt, and not of a mark that stands in place of a secret.
func TestTheThreadIsToldOfASecretByItsPlace(t *testing.T) {
	t.Parallel()
	d := &Delivery{}
	key := foundSecret{"config/app.go", 12, "aws-access-token", "AWS key"}
	other := foundSecret{"config/`b`.go", 3, "github-pat", "GitHub token"}
	mark := foundSecret{path: "config/app.go"}
	said := func(attempt string, found ...foundSecret) string { return d.secretsText(found, attempt) }
	require.Empty(t, said("1", mark))
	one := "Not committed: `config/app.go:12` looks like a secret (AWS key). I take it out; " +
		"if it is not a secret, add it yourself."
	require.Equal(t, one, said("1", key, mark, key))
	require.Empty(t, said("1", key))
	require.Equal(t, one, said("2", key))
	require.Equal(t, "Not committed: `config/app.go:12` looks like a secret (AWS key); "+
		"`config/'b'.go:3` looks like a secret (GitHub token). I take them out; what is none, add yourself.",
		said("3", key, other))
	var many []foundSecret
	for i := range 7 {
		many = append(many, foundSecret{"a.go", i + 1, "jwt", "JSON web token"})
	}
	require.Contains(
		t, said("4", many...),
		"`a.go:5` looks like a secret (JSON web token); so do 2 more places. I take them out",
	)
}
