package claim_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/claim"
)

// sentencesOf returns the lines of a table in testdata.
func sentencesOf(t *testing.T, table string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", table+".txt"))
	require.NoError(t, err)
	return strings.Split(strings.TrimSpace(string(content)), "\n")
}

// TestTables reads tables of sentences, one per line. Those in as_written were written before the forms that
// find them, as people and models write; not each of these claims is found.
func TestTables(t *testing.T) {
	t.Parallel()
	for _, table := range []struct {
		name  string
		kind  claim.Kind
		least int // percent of the sentences that are claims
		most  int
	}{
		{name: "tests", kind: claim.Tests, least: 100, most: 100},
		{name: "push", kind: claim.Push, least: 100, most: 100},
		{name: "approval", kind: claim.Approval, least: 100, most: 100},
		{name: "review", kind: claim.Review, least: 100, most: 100},
		{name: "harmless", most: 0},
		{name: "as_written", least: 95, most: 100},
	} {
		all := sentencesOf(t, table.name)
		var claimed, others []string
		for _, s := range all {
			found := claim.In(s)
			if len(found) > 0 && (table.kind == "" || found[0].Kind == table.kind) {
				claimed = append(claimed, s)
				continue
			}
			others = append(others, s)
		}
		t.Logf("%s: %d of %d sentences are claims", table.name, len(claimed), len(all))
		wrong := others
		if table.most == 0 {
			wrong = claimed
		}
		assert.GreaterOrEqual(
			t, len(claimed)*100, table.least*len(all), "%s:\n%s", table.name, strings.Join(wrong, "\n"),
		)
		assert.LessOrEqual(
			t, len(claimed)*100, table.most*len(all), "%s:\n%s", table.name, strings.Join(wrong, "\n"),
		)
	}
}

// TestHarmlessSentencesNeedTheGuards is the control: many of the harmless sentences have the form of a claim,
// and are none only because of the words that deny it, ask, or speak of code.
func TestHarmlessSentencesNeedTheGuards(t *testing.T) {
	t.Parallel()
	guarded := 0
	for _, s := range append(sentencesOf(t, "harmless"), harmless...) {
		if claim.Unguarded(s) {
			guarded++
		}
	}
	t.Logf("%d sentences have the form of a claim", guarded)
	require.Greater(t, guarded, 30)
}
