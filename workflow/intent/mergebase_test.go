package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReadMergeBase(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"please resolve the conflicts":                "",
		"resolve the conflicts":                       "",
		"Resolve conflicts.":                          "",
		"fix the merge conflicts please":              "",
		"could you please resolve the conflicts?":     "",
		"resolve the conflicts with main":             "main",
		"merge main":                                  "main",
		"Merge main, please":                          "main",
		"please merge `release/1.4`":                  "release/1.4",
		"merge release/1.4 into the branch":           "release/1.4",
		"merge the latest main into it":               "main",
		"merge main in and resolve the conflicts":     "main",
		"update the branch":                           "",
		"update your branch with main":                "main",
		"update the PR please":                        "",
		"bring the branch up to date":                 "",
		"bring the branch up to date with main":       "main",
		"ok, merge main now":                          "main",
		"merge the base":                              "base",
		"please update the pull request with develop": "develop",
	} {
		r := Lexicon{}.Read(text)
		require.True(t, r.MergesBase, text)
		require.Equal(t, want, r.BaseToMerge, text)
		require.True(t, r.Permits(), text)
	}
	for _, text := range []string{
		"merge it", "merge this", "merge the PR", "please merge", "merge them all", "don't merge main",
		"do not resolve the conflicts", "who resolves the conflicts?", "> merge main", "merge main?? no",
		"ann: merge main", "merge main when ann is back", "merge main if the tests pass",
		"why are there conflicts?", "I will merge main", "should we merge main?",
		"merge main and push it to prod",
		"resolve the conflicts by taking theirs", "update the docs", "update the branch name",
		"rebase onto main", "rebase the branch", "we merge main every day", "`merge main` is what I'd type",
		"merge", "merge conflicts", "not yet, merge main later",
	} {
		require.False(t, Lexicon{}.Read(text).MergesBase, text)
	}
}
