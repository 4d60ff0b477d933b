package intent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/intent"
)

func TestChooseRepository(t *testing.T) {
	t.Parallel()
	shop, blog := intent.RepositoryChoice{Name: "shop", Channels: []string{"C1"}}, intent.RepositoryChoice{Name: "blog", Channels: []string{"C2"}}
	both := []intent.RepositoryChoice{shop, blog}
	for _, c := range []struct {
		text, channel string
		all           []intent.RepositoryChoice
		want          string
	}{
		{"total wrong", "C9", []intent.RepositoryChoice{shop}, "shop"},
		{"total wrong", "C2", both, "blog"},
		{"total wrong repo:shop", "C2", both, "shop"},
		{"the cart in shop, is off", "C2", both, "shop"},
		{"REPO:Shop please", "C2", both, "shop"},
		{"in the morning it fails", "C9", both, ""},
		{"anything", "C1", nil, ""},
	} {
		require.Equal(t, c.want, intent.ChooseRepository(c.text, c.channel, c.all), c.text)
	}
}
