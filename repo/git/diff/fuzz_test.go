package diff

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzWiderEffect checks that a file with a wider effect also has one in a deeper folder and in upper
// case.
func FuzzWiderEffect(f *testing.F) {
	for _, seed := range []string{".github/workflows/ci.yml", "CODEOWNERS", "docs/CodeOwners", "go.sum", "a/b.go", ".husky/pre-commit", "Jenkinsfile.prod", ".gitattributes", "x/.gitlab-ci.yml", "\xff"} {
		f.Add(seed, "")
		f.Add(seed, "executable")
	}
	f.Fuzz(func(t *testing.T, path, mode string) {
		got := Change{Path: path, Mode: mode, Kind: "changed"}.WiderEffect()
		if path == strings.ToLower(path) && strings.ToLower(strings.ToUpper(path)) == path {
			require.Equal(t, got, Change{Path: strings.ToUpper(path), Mode: mode, Kind: "changed"}.WiderEffect())
		}
		if got != "" && path != "" && path[0] != '/' {
			require.NotEmpty(t, Change{Path: "services/" + path, Mode: mode, Kind: "changed"}.WiderEffect())
		}
		require.NotEmpty(t, Change{Path: ".github/workflows/" + path, Mode: mode, Kind: "changed"}.WiderEffect())
	})
}
