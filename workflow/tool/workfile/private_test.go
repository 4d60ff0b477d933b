package workfile

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow/redact"
)

func TestSecretsOfCommits(t *testing.T) {
	t.Parallel()
	m, commits := repotest.NewMirror(t,
		repotest.Files{
			".env":      "DB_PASSWORD=moss-covered-bucket\n",
			"notes.txt": "API_KEY=plain-to-be-seen\n",
		},
		repotest.Files{
			".env":             "DB_PASSWORD=fern-covered-basket\n",
			"server/.env.prod": "API_KEY=rust-covered-bolt\n",
		},
	)
	const said = "given-to-the-bot moss-covered-bucket fern-covered-basket rust-covered-bolt plain-to-be-seen"
	gone := strings.Repeat("0", 40)
	for want, of := range map[string][]string{
		"? moss-covered-bucket fern-covered-basket rust-covered-bolt plain-to-be-seen": {"", gone},
		"? ? fern-covered-basket rust-covered-bolt plain-to-be-seen":                   {commits[0], gone},
		"? moss-covered-bucket ? ? plain-to-be-seen":                                   {commits[1]},
		"? ? ? ? plain-to-be-seen":                                                     commits,
	} {
		f, err := FindSecrets(t.Context(), redact.New("given-to-the-bot"), m.Commits(), of...)
		require.NoError(t, err)
		require.Equal(t, want, strings.ReplaceAll(f.MaskGiven(said), "[masked: configured]", "?"))
	}
	f, err := FindSecrets(t.Context(), nil, m.Commits(), commits...)
	require.NoError(t, err)
	require.Nil(t, f)
}
