package host

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// settings are Gitea's settings: all files below one folder, no setup page, and no use of the network.
const settings = `RUN_MODE = prod
WORK_PATH = %[1]s
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = %[2]d
ROOT_URL = http://127.0.0.1:%[2]d/
DISABLE_SSH = true
OFFLINE_MODE = true
[database]
DB_TYPE = sqlite3
PATH = %[1]s/gitea.db
[security]
INSTALL_LOCK = true
[log]
LEVEL = Warn
[repository.signing]
SIGNING_NAME = Ann
SIGNING_EMAIL = ann@example.com
TRUSTED_SSH_KEYS = %[3]s
`

// startGitea starts a Gitea for the test, which takes the key for one of its own accounts, and returns its
// address with an account that may create repositories. Gitea has no API to verify an account's own key.
func startGitea(t *testing.T, program, key string) *url.URL {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "app.ini")
	log := filepath.Join(dir, "log")
	l, err := net.Listen("tcp", "127.0.0.1:0") // finds a free port
	require.NoError(t, err)
	port := l.Addr().(*net.TCPAddr).Port
	require.NoError(t, l.Close())
	require.NoError(t, os.WriteFile(file, fmt.Appendf(nil, settings, dir, port, key), 0o600))
	at := &url.URL{Scheme: "http", Host: l.Addr().String()}
	gitea := func(args ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), program, append(args, "--config", file)...)
		cmd.Env = append(os.Environ(), "HOME="+dir, "USER=git")
		return cmd
	}
	out, err := gitea("migrate").CombinedOutput()
	require.NoError(t, err, "%s", out)
	out, err = gitea("admin", "user", "create", "--admin", "--username", "ann", "--password", "of-the-test",
		"--email", "ann@example.com", "--must-change-password=false").CombinedOutput()
	require.NoError(t, err, "%s", out)

	said, err := os.Create(log)
	require.NoError(t, err)
	defer said.Close()
	web := gitea("web")
	web.Stdout = said
	web.Stderr = said
	web.Cancel = func() error { return web.Process.Signal(os.Interrupt) }
	web.WaitDelay = 20 * time.Second
	require.NoError(t, web.Start())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = web.Wait()
	}()
	t.Cleanup(func() { <-ended }) // the end of the test's context stops the server
	require.Eventually(t, func() bool {
		res, err := http.Get(at.JoinPath("api/healthz").String())
		if err != nil {
			return false
		}
		res.Body.Close()
		return res.StatusCode == http.StatusOK
	}, time.Minute, 50*time.Millisecond, "see %s", log)
	at.User = url.UserPassword("ann", "of-the-test")
	return at
}
