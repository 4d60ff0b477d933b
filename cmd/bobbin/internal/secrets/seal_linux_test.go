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

// asNobody is a user without any right, where this test may become that one.
func asNobody() *syscall.SysProcAttr {
	if os.Getuid() != 0 {
		return nil
	}
	return &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
}

// A secret that the bot was started with is in no environment that somebody else may look
// at: neither the one that it hands on, nor the one that the kernel shows.
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

// What the kernel shows of a process: TestEnvironHelper is that process.
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
	_, _ = os.Stdin.Read(make([]byte, 1)) // until the test has looked
}

// looked is what cat sees of the helper's environment, as its user.
func looked(t *testing.T, how string) (environ string, err error) {
	t.Helper()
	cmd := exec.Command("/proc/self/exe", "-test.run=^TestEnvironHelper$")
	cmd.Env = []string{
		helperVariable + "=" + how, SlackBotToken + "=" + hidden + "1", "ORDINARY=plain", DatabaseURL + "=postgres://u:" + hidden + "@h/d",
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
