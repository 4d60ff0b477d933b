package pullrequests

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/host"
)

// TestChecksOfMessages checks which checks are told apart as those that only another message could satisfy:
// no check of code may be among them, since nobody could have it fixed then.
func TestChecksOfMessages(t *testing.T) {
	t.Parallel()
	for name, ofMessages := range map[string]bool{
		"DCO":                             true,
		"dco":                             true,
		"DCO Check":                       true,
		"probot/dco":                      true,
		"Developer Certificate of Origin": true,
		"test":                            false,
		"dcount":                          false,
		"test (DCO)":                      false,
		"build / dco-parser":              false,
	} {
		rest, found := splitByMessage([]host.Check{{Name: name, State: host.Failed}})
		require.Equal(t, ofMessages, len(found) == 1, name)
		require.Equal(t, ofMessages, len(rest) == 0, name)
		require.Equal(t, ofMessages, onlyMessages(found) != "", name)
	}
}
