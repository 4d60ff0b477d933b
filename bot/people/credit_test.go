package people

import (
	"strings"
	"testing"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"
)

func TestHowACommitNamesAPerson(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, real, email, want string }{
		{"ann", "Ann  Author", "ann@example.com", "Ann Author <ann@example.com>"},
		{"ann", "", "ann@example.com", "ann <ann@example.com>"},
		{"ann", "", "", "ann"},
		{"ann", "Ann\nApproved-by: eve", "a@b>\nApproved-by: eve@example.com", "Ann Approved-by: eve"},
		{"ann", "Ann <eve@example.com>\u202e\x00", "", "Ann eve@example.com"},
		{"", "", "ann@example.com", ""},
		{"", "U1", "", ""},
		{strings.Repeat("é", 200), "", "", strings.Repeat("é", 79) + "…"},
	} {
		require.Equal(t, c.want, credit(&slack.User{
			ID:      "U1",
			Profile: slack.UserProfile{DisplayName: c.name, RealName: c.real, Email: c.email},
		}))
	}
}
