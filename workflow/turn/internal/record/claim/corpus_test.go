package claim_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/claim"
)

// words matches what a scripted model writes in a story: a text of its own, or an argument that people read.
var words = regexp.MustCompile(
	`(?m)^(?:say|  (?:message|text|summary|how|left|changed|reason|bottom_line|cause|change|question|` +
		`title):) (.+)$|` +
		`"(?:message|text|summary|how|left|changed|reason|bottom_line|cause|title|question|description)": ?` +
		`"((?:[^"\\]|\\.)*)"`,
)

// TestWordsOfTheStoriesAreNoClaims reads what models say in all stories and evaluation tasks. Those of
// careless models are left out.
func TestWordsOfTheStoriesAreNoClaims(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	err := filepath.WalkDir(filepath.Join("..", "..", "..", "..", "..", "cmd", "bobbin",
		"testdata"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), "careless_") {
			return err
		}
		content, err := os.ReadFile(path)
		for _, m := range words.FindAllStringSubmatch(string(content), -1) {
			texts[m[1]+m[2]] = path
		}
		return err
	})
	require.NoError(t, err)
	claimed := 0
	for text, path := range texts {
		if found := claim.In(text); found != nil {
			claimed++
			t.Logf("%s: %q", filepath.Base(path), found)
		}
	}
	t.Logf("%d of %d texts hold a claim", claimed, len(texts))
	require.Greater(t, len(texts), 300)
	require.Less(t, claimed*100, len(texts), "one in a hundred")
}
