package bubblewrap

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
)

// If bwrap is not installed, the error says how to install it.
func TestBwrapThatIsNotInstalled(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Open()
	var u *backend.Unavailable
	require.ErrorAs(t, err, &u)
	require.Equal(t, "bwrap is not installed", u.Why)
	require.Contains(t, u.Cure, "apt-get install bubblewrap")
	require.NotContains(t, u.Cure, "\n")
}
