package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

func TestSSHSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	o := remotetest.NewShop(t)
	right := o.ServeSSH(t)
	open := func(r remote.Remote) *remote.Error {
		_, err := (&Mirrors{Dir: t.TempDir(), Log: quiet()}).Open(ctx0(), r)
		return refusal(t, err)
	}
	stranger := right
	stranger.KnownHosts = filepath.Join(t.TempDir(), "known_hosts")
	require.NoError(t, os.WriteFile(stranger.KnownHosts, nil, 0o600))
	require.Contains(t, open(stranger).Reason, "host key is not known")

	swapped := right
	swapped.KnownHosts = o.ServeSSH(t).KnownHosts
	b, err := os.ReadFile(swapped.KnownHosts)
	require.NoError(t, err)
	_, key, _ := strings.Cut(string(b), " ")
	place, _, _ := strings.Cut(strings.TrimPrefix(right.URL, "ssh://git@127.0.0.1:"), "/")
	require.NoError(t, os.WriteFile(swapped.KnownHosts, []byte("[127.0.0.1]:"+place+" "+key), 0o600))
	require.Contains(t, open(swapped).Reason, "not the one that is known")

	other := right
	other.Key = o.ServeSSH(t).Key
	require.Contains(t, open(other).Reason, "accepts none of our keys")

	missing := right
	missing.Key = filepath.Join(t.TempDir(), "none")
	require.Contains(t, open(missing).Reason, "key")

	nowhere := right
	nowhere.URL += "-not"
	require.Contains(t, open(nowhere).Reason, "no such repository")
}
