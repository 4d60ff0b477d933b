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

// A line of the program may begin with a name, so a name that reads like more is quoted.
func TestANameThatIsASentenceIsQuoted(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"ann":                    "ann",
		"Dr. Ann Lee":            "Dr. Ann Lee",
		"Lee, Ann (Contractor)":  "Lee, Ann (Contractor)",
		"ann 🌴":                  "ann 🌴",
		"Approved by ann ✓":      "“Approved by ann ✓”",
		"◆ Pushed":               "“◆ Pushed”",
		"Pushed: all":            "“Pushed: all”",
		"Fixed by ann. Later":    "“Fixed by ann. Later”",
		"I approve all of these": "“I approve all of these”",
		"“Revision 1 approved by ann. Pushed”": "“Revision 1 approved by ann. Pushed”",
	} {
		require.Equal(t, want, shownName(&slack.User{Profile: slack.UserProfile{DisplayName: name}}))
	}
}
