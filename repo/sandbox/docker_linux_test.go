package sandbox

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What an engine is told, word by word. That it does what it is told is tested where
// BOBBIN_TEST_IMAGE names an image that it has.
func TestEngineArguments(t *testing.T) {
	t.Parallel()
	uid, gid := outsideUser()
	user := fmt.Sprintf("%d:%d", uid, gid)
	o := orders{Layout: layout{
		Fill:  1 << 20,
		Binds: []bind{{Host: "/srv/a,b", Inside: "/src", Writable: true}, {Host: "/opt/bobbin", Inside: boxProgram}},
		Files: []insideFile{{Inside: "/etc/hosts"}},
	}}
	d := &docker{image: "golang:1.26"}
	got := d.args("bobbin-x", o, Limits{Memory: 1 << 30, Processes: 64}, &boxDir{path: "/tmp/box"})
	want := []string{
		"run", "--rm", "--interactive", "--name", "bobbin-x", "--label", "bobbin", "--pull", "never", "--log-driver", "none",
		"--network", "none", "--ipc", "private", "--hostname", "box", "--read-only",
		"--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--user", user,
		"--memory", "1074790400", "--memory-swap", "1074790400", "--pids-limit", "80",
		"--ulimit", "core=0:0", "--ulimit", "nofile=4096:4096", "--shm-size", "67108864",
		"--tmpfs", fmt.Sprintf("/tmp:rw,exec,nosuid,nodev,mode=1777,size=1048576,uid=%d,gid=%d", uid, gid),
		"--tmpfs", fmt.Sprintf("/home/box:rw,exec,nosuid,nodev,mode=1777,size=1048576,uid=%d,gid=%d", uid, gid),
		"--workdir", "/", "--entrypoint", "/run/box/program",
		"--mount", "type=bind,source=/tmp/box,target=/run/box,readonly",
		"--mount", `type=bind,"source=/srv/a,b",target=/src`,
		"--mount", "type=bind,source=/opt/bobbin,target=/run/box/program,readonly",
		"--mount", "type=bind,source=/tmp/box/file0,target=/etc/hosts,readonly",
		"golang:1.26", "bobbin-sandbox-enter",
	}
	require.Equal(t, want, got)
	d.podman = true
	text := strings.Join(d.args("bobbin-x", o, Limits{}, &boxDir{path: "/tmp/box"}), " ")
	require.Contains(t, text, "notmpcopyup")
	require.Equal(t, !asRoot(), strings.Contains(text, "--userns keep-id"))
}

// Without an engine that answers, and has the image, there is no sandbox.
func TestEngineThatIsNotThere(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		config    Config
		why, cure string
	}{
		"no image":     {Config{Engine: "docker"}, "no image is named", "sandbox.image"},
		"no engine":    {Config{Engine: "/no/such/docker", Image: "x"}, "/no/such/docker not found", "install Docker or Podman"},
		"not one":      {Config{Engine: "false", Image: "x"}, "the engine cannot be reached", "start it"},
		"no container": {Config{Engine: "true", Image: "x"}, "", "static build"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.config.Kind = KindDocker
			requireUnavailable(t, c.config, c.why, c.cure)
		})
	}
}

func requireUnavailable(t *testing.T, c Config, why, cure string) {
	t.Helper()
	s, err := Open(t.Context(), c)
	require.Nil(t, s)
	var u *Unavailable
	require.ErrorAs(t, err, &u)
	require.Equal(t, c.Kind, u.Kind)
	require.Contains(t, u.Why, why)
	require.Contains(t, u.Cure, cure)
	require.NotContains(t, err.Error(), "\n")
}

// The real client, with nobody at the other end.
func TestEngineThatDoesNotAnswer(t *testing.T) {
	if _, err := exec.LookPath("docker"); err != nil {
		t.Skip("there is no docker client")
	}
	t.Setenv("DOCKER_HOST", "unix:///no/such/docker.sock")
	requireUnavailable(t, Config{Kind: KindDocker, Engine: "docker", Image: "x"}, "the engine cannot be reached", "DOCKER_HOST")
}

// An image that the engine does not have is not fetched behind anybody's back.
func TestImageThatIsNotThere(t *testing.T) {
	t.Parallel()
	if opened()[KindDocker] == nil {
		t.Skip("there is no engine")
	}
	c := configOf(KindDocker)
	c.Image = "bobbin/no-such-image"
	requireUnavailable(t, c, "does not have the image bobbin/no-such-image", "pull bobbin/no-such-image")
}

// Containers are removed for those alone who are no more, on this machine.
func TestOrphanedContainers(t *testing.T) {
	t.Parallel()
	ours := ownerName(os.Getpid())
	require.False(t, orphaned(ours+"-1"), "we live")
	require.False(t, orphaned("bobbin-123456789abc-1-1-1"), "another machine's")
	require.False(t, orphaned("shop-db-1"), "somebody else's")
	gone := exec.Command("true")
	require.NoError(t, gone.Start())
	name := ownerName(gone.Process.Pid) + "-1"
	require.NoError(t, gone.Wait())
	require.True(t, orphaned(name))
	require.True(t, orphaned(strings.Replace(ours, startTime(os.Getpid()), "1", 1)+"-1"), "the number is somebody else's by now")
}

// What an earlier process left in the engine is gone when the kind is opened again.
func TestContainersOfTheDeadAreRemoved(t *testing.T) {
	t.Parallel()
	s := opened()[KindDocker]
	if s == nil {
		t.Skip("there is no engine")
	}
	d := s.way.(*docker)
	name := strings.Replace(d.owner, startTime(os.Getpid()), "1", 1) + "-1"
	mine := d.owner + "-1000000"
	for _, n := range []string{name, mine} {
		_, err := d.ask(t.Context(), "create", "--name", n, "--label", dockerLabel, "--ulimit", "nofile=64:64", d.image, "true")
		require.NoError(t, err)
	}
	defer d.ask(ctxForever, "rm", "--force", mine) //nolint:errcheck // tidying up
	_, err := Open(t.Context(), configOf(KindDocker))
	require.NoError(t, err)
	names, err := d.ask(t.Context(), "ps", "--all", "--format", "{{.Names}}")
	require.NoError(t, err)
	require.NotContains(t, strings.Fields(names), name)
	require.Contains(t, strings.Fields(names), mine, "the control: who lives keeps his")
}
