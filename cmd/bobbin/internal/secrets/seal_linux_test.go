package secrets

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// asNobody returns the attributes of a process of an unprivileged user, if this test runs as root.
func asNobody() *syscall.SysProcAttr {
	if os.Getuid() != 0 {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

// TestOthersDoNotSeeTheEnvironment checks that a secret with which the bot was started is in no environment
// that other processes can read: neither the one that child processes inherit, nor the one that the kernel
// shows.
func TestOthersDoNotSeeTheEnvironment(t *testing.T) {
	t.Parallel()
	got, err := looked(t, "as it was") // the control
	require.NoError(t, err)
	require.Contains(t, got, hidden)

	got, err = looked(t, "blotted")
	require.NoError(t, err)
	require.NotContains(t, got, hidden)
	require.Contains(t, got, "ORDINARY=plain")
	require.Contains(t, got, "LAST=plain too")

	got, err = looked(t, "sealed")
	require.Error(t, err)
	require.Empty(t, got)
}

// helperVariable is the environment variable with which this test binary runs TestEnvironHelper, the
// process whose environment the tests read.
const helperVariable = "BOBBIN_TEST_ENVIRON"

func TestEnvironHelper(t *testing.T) {
	how := os.Getenv(helperVariable)
	if how == "" {
		t.Skip("it is started by TestOthersDoNotSeeTheEnvironment")
	}
	if how != "as it was" {
		env := TakeEnvironment()
		ForgetVariables("SHOP_TOKEN")
		require.Equal(t, hidden+"1", env(SlackBotToken), "what was read is still known")
		require.Equal(t, "plain", os.Getenv("ORDINARY"))
	}
	if how == "sealed" {
		require.NoError(t, SealProcess())
	}
	fmt.Println("ready")
	_, _ = os.Stdin.Read(make([]byte, 1)) // until the test has read the environment
}

// looked returns what cat reads of the helper's environment, as the helper's user.
func looked(t *testing.T, how string) (environ string, err error) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestEnvironHelper$")
	cmd.Env = []string{
		helperVariable + "=" + how, SlackBotToken + "=" + hidden + "1", "ORDINARY=plain",
		DatabaseURL + "=postgres://u:" + hidden + "@h/d",
		"SHOP_TOKEN=" + hidden, GithubAppKey + "=" + hidden + "\n" + hidden, "LAST=plain too",
	}
	cmd.SysProcAttr = asNobody()
	in, err := cmd.StdinPipe()
	require.NoError(t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	defer func() {
		in.Close()
		require.NoError(t, cmd.Wait())
	}()
	said := make([]byte, 5)
	_, err = out.Read(said)
	require.NoError(t, err)
	require.Equal(t, "ready", string(said))
	other := exec.Command("cat", fmt.Sprintf("/proc/%d/environ", cmd.Process.Pid))
	other.SysProcAttr = asNobody()
	var got bytes.Buffer
	other.Stdout = &got
	err = other.Run()
	return got.String(), err
}
