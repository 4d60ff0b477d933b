package outbox

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAddressReplies(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`Press a button, or reply "fix it".`:          `Press a button, or reply "site: fix it".`,
		`Reply "fix it in site", "fix only 1".`:       `Reply "fix it in site", "site: fix only 1".`,
		`ann edited the approval to "fix it".`:        `ann edited the approval to "fix it".`,
		"Stopped. Write \"go on\" here.\nreply \"x\"": "Stopped. Write \"site: go on\" here.\nreply \"x\"",
	} {
		require.Equal(t, want, addressReplies(text, []int{0}, "site"))
		require.Equal(t, text, addressReplies(text, []int{0}, ""))
		require.Equal(t, text, addressReplies(text, nil, "site"))
	}
}
