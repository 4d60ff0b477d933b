package docker

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/initproc"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/process"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user"
)

// This test checks the arguments for an engine word by word. Other tests check that a real engine
// obeys them, if BOBBIN_TEST_IMAGE names an image that it has.
func TestEngineArguments(t *testing.T) {
	t.Parallel()
	uid, gid := user.CommandUser()
	ids := fmt.Sprintf("%d:%d", uid, gid)
	o := initproc.Orders{Processes: 1000, Layout: backend.Layout{
		Fill: 1 << 20,
		Binds: []backend.Bind{
			{Host: "/srv/a,b", Inside: "/src", Writable: true},
			{Host: "/opt/bobbin", Inside: initproc.GuestProgram},
		},
		Files: []backend.File{{Inside: "/etc/hosts"}},
	}}
	d := &docker{image: "golang:1.26"}
	got := d.buildArgs("bobbin-x", o, backend.Limits{Memory: 1 << 30, Processes: 64}, &guestDir{
		path: "/tmp/box",
	})
	want := []string{
		"run", "--rm", "--interactive", "--name", "bobbin-x", "--label", "bobbin", "--pull", "never",
		"--log-driver", "none",
		"--network", "none", "--ipc", "private", "--hostname", "box", "--read-only",
		"--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--user", ids,
		"--memory", "1074790400", "--memory-swap", "1074790400", "--pids-limit", "80",
		"--ulimit", "core=0:0", "--ulimit", "nofile=4096:4096", "--ulimit", "nproc=1000:1000",
		"--shm-size", "67108864",
		"--tmpfs", fmt.Sprintf("/tmp:rw,exec,nosuid,nodev,mode=1777,size=1048576,uid=%d,gid=%d", uid, gid),
		"--tmpfs",
		fmt.Sprintf("/home/box:rw,exec,nosuid,nodev,mode=1777,size=1048576,uid=%d,gid=%d", uid, gid),
		"--workdir", "/", "--entrypoint", "/run/box/program",
		"--mount", "type=bind,source=/tmp/box,target=/run/box,readonly",
		"--mount", `type=bind,"source=/srv/a,b",target=/src`,
		"--mount", "type=bind,source=/opt/bobbin,target=/run/box/program,readonly",
		"--mount", "type=bind,source=/tmp/box/file0,target=/etc/hosts,readonly",
		"golang:1.26", "bobbin-sandbox-enter",
	}
	require.Equal(t, want, got)
	d.podman = true
	text := strings.Join(d.buildArgs("bobbin-x", o, backend.Limits{}, &guestDir{path: "/tmp/box"}), " ")
	require.Contains(t, text, "notmpcopyup")
	require.Equal(t, !user.RunsAsRoot(), strings.Contains(text, "--userns keep-id"))
}

// Only containers of processes that have ended, on this machine, are removed.
func TestOrphanedContainers(t *testing.T) {
	t.Parallel()
	ours := ownerName(os.Getpid())
	require.False(t, isOrphaned(ours+"-1"), "we live")
	require.False(t, isOrphaned("bobbin-123456789abc-1-1-1"), "another machine's")
	require.False(t, isOrphaned("shop-db-1"), "somebody else's")
	gone := exec.Command("true")
	require.NoError(t, gone.Start())
	name := ownerName(gone.Process.Pid) + "-1"
	require.NoError(t, gone.Wait())
	require.True(t, isOrphaned(name))
	require.True(t, isOrphaned(strings.Replace(ours, process.StartTime(os.Getpid()), "1", 1)+"-1"),
		"the number is somebody else's by now")
}

// A container that an earlier process left in the engine is removed by the next Open.
func TestContainersOfTheDeadAreRemoved(t *testing.T) {
	t.Parallel()
	config := Config{Engine: os.Getenv("BOBBIN_TEST_ENGINE"), Image: os.Getenv("BOBBIN_TEST_IMAGE")}
	if config.Image == "" { // an installed engine may be in use, and a test must not choose one of its images
		t.Skip("BOBBIN_TEST_IMAGE names no image")
	}
	b, err := Open(t.Context(), config)
	require.NoError(t, err)
	d := b.(*docker)
	name := strings.Replace(d.owner, process.StartTime(os.Getpid()), "1", 1) + "-1"
	mine := d.owner + "-1000000"
	for _, n := range []string{name, mine} {
		_, err := d.askEngine(t.Context(), "create", "--name", n, "--label", dockerLabel, "--ulimit",
			"nofile=64:64", d.image, "true")
		require.NoError(t, err)
	}
	defer d.askEngine(context.Background(), "rm", "--force", mine) //nolint:errcheck // tidying up
	_, err = Open(t.Context(), config)
	require.NoError(t, err)
	names, err := d.askEngine(t.Context(), "ps", "--all", "--format", "{{.Names}}")
	require.NoError(t, err)
	require.NotContains(t, strings.Fields(names), name)
	require.Contains(t, strings.Fields(names), mine, "the control: who lives keeps his")
}
