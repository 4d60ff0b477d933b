package intent_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/intent"
)

// FuzzChooseRepository: it is one of those that there are, or nobody knows; and what is
// said in one channel about none of them is about that channel's.
func FuzzChooseRepository(f *testing.F) {
	for _, text := range []string{"it fails in shop.", "repo:desk it fails", "REPO:Shop", "in", "repo:", "in ../../etc", "in shop, in desk", "in \xff"} {
		f.Add(text, "C1")
	}
	all := []intent.RepositoryChoice{{Name: "shop", Channels: []string{"C1"}}, {Name: "desk", Channels: []string{"C2"}}, {Name: "a.b-c_d"}}
	names := []string{"", "shop", "desk", "a.b-c_d"}
	f.Fuzz(func(t *testing.T, text, channel string) {
		got := intent.ChooseRepository(text, channel, all)
		require.Contains(t, names, got)
		if channel == "C1" {
			require.NotEmpty(t, got)
		}
		require.Equal(t, "desk", intent.ChooseRepository("repo:desk "+text, channel, all))
		backwards := slices.Clone(all)
		slices.Reverse(backwards)
		require.Equal(t, got, intent.ChooseRepository(text, channel, backwards), "the order of the file decides nothing")
	})
}
