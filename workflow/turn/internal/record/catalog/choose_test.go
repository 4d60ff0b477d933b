package catalog

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	shop, blog := named("shop", "C1"), named("blog", "C2")
	both := []repository.Repository{shop, blog}
	for _, c := range []struct {
		text, channel string
		all           []repository.Repository
		want          string
	}{
		{"total wrong", "C9", []repository.Repository{shop}, "shop"},
		{"total wrong", "C2", both, "blog"},
		{"total wrong repo:shop", "C2", both, "shop"},
		{"the cart in shop, is off", "C2", both, "shop"},
		{"REPO:Shop please", "C2", both, "shop"},
		{"in the morning it fails", "C9", both, ""},
		{"anything", "C1", nil, ""},
	} {
		require.Equal(t, c.want, choose(c.text, c.channel, c.all), c.text)
	}
}

// named returns a repository of the channels.
func named(name string, channels ...string) repository.Repository {
	return repository.Repository{Remote: remote.Remote{Name: name}, Channels: channels}
}

// FuzzChoose checks that choose returns a known name or none, that the order of the repositories does
// not matter, and that a text in a repository's channel always finds one.
func FuzzChoose(f *testing.F) {
	for _, text := range []string{"it fails in shop.", "repo:desk it fails", "REPO:Shop", "in", "repo:", "in ../../etc", "in shop, in desk", "in \xff"} {
		f.Add(text, "C1")
	}
	all := []repository.Repository{named("shop", "C1"), named("desk", "C2"), named("a.b-c_d")}
	names := []string{"", "shop", "desk", "a.b-c_d"}
	f.Fuzz(func(t *testing.T, text, channel string) {
		got := choose(text, channel, all)
		require.Contains(t, names, got)
		if channel == "C1" {
			require.NotEmpty(t, got)
		}
		require.Equal(t, "desk", choose("repo:desk "+text, channel, all))
		backwards := slices.Clone(all)
		slices.Reverse(backwards)
		require.Equal(t, got, choose(text, channel, backwards), "the order of the file decides nothing")
	})
}
