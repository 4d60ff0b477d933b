package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRepositoryNamed checks which messages name a repository and say nothing else.
func TestRepositoryNamed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"repo: api":                  "api",
		"repo:web-ui":                "web-ui",
		"sorry, repo = `api` please": "api",
		"Repository: API.":           "API",
		"repo: api, the total":       "",
		"the repo: api":              "",
		"> repo: api":                "",
		"repo: api?":                 "",
		"also: api":                  "",
	} {
		require.Equal(t, want, Lexicon{}.Read(text).Repository, text)
	}
}
