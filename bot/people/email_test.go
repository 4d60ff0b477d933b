package people

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/slacktest"
)

func TestPeopleAreFoundByTheirAddress(t *testing.T) {
	t.Parallel()
	o := openPeopleOffice(t, slacktest.Config{Scopes: []string{"users:read", "users:read.email"}})
	cy := o.AddUser(slacktest.User{Name: "cy", Email: "cy@example.com"}).ID
	p := &Directory{Slack: o.Bot}
	for address, want := range map[string]string{
		"CY@example.com":     cy,
		"nobody@example.com": "",
		"":                   "",
		"cy":                 "",
		"a b@example.com":    "",
	} {
		id, err := p.ByEmail(t.Context(), address)
		require.NoError(t, err, address)
		require.Equal(t, want, id, address)
	}

	without := openPeopleOffice(t, slacktest.Config{Scopes: []string{"users:read"}})
	_, err := (&Directory{Slack: without.Bot}).ByEmail(t.Context(), "cy@example.com")
	var refused *bot.AuthError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "missing_scope", refused.Code)
}
