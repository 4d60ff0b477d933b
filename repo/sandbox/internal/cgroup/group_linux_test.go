package cgroup

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/process"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user/usertest"
)

// sweepsIn is the environment variable that makes this test binary a program of
// TestGroupsOfAnotherNameSpaceStay: it sweeps the directory, where it puts a group of a dead program first.
const sweepsIn = "BOBBIN_TEST_SWEEPS_IN"

func TestMain(m *testing.M) {
	dir := os.Getenv(sweepsIn)
	if dir == "" {
		os.Exit(m.Run())
	}
	if err := os.Mkdir(filepath.Join(dir, ownerPrefix(999_999)+"1"), 0o755); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	hierarchy{dir: dir}.sweepDead()
}

func TestWhereGroupsCanBe(t *testing.T) {
	t.Parallel()
	const (
		v1 = "30 25 0:26 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n" +
			"31 25 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n" +
			"32 25 0:28 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n" +
			"33 25 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
		v2 = "35 24 0:30 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
	)
	tree := func(dir string, controllers ...string) hierarchy {
		return hierarchy{unified: controllers == nil, dir: dir, controllers: controllers}
	}
	cases := map[string]struct {
		mounts, own string
		want        []hierarchy
	}{
		"version 2":           {v2, "0::/system.slice/bobbin.service\n", []hierarchy{tree("/sys/fs/cgroup/system.slice/bobbin.service")}},
		"version 2, own root": {v2, "0::/\n", []hierarchy{tree("/sys/fs/cgroup")}},
		"version 1": {
			v1, "9:memory:/a/b\n5:cpu,cpuacct:/\n4:freezer:/\n3:name=systemd:/x\n2:pids:/\n0::/\n",
			[]hierarchy{tree("/sys/fs/cgroup/memory/a/b", "memory"), tree("/sys/fs/cgroup/cpu,cpuacct", "cpu"), tree("/sys/fs/cgroup/unified")},
		},
		"in a container": {
			strings.ReplaceAll(v1, "0:26 / ", "0:26 /docker/c0 "), "9:memory:/docker/c0\n", []hierarchy{tree("/sys/fs/cgroup/memory", "memory")},
		},
		"another container's": {strings.ReplaceAll(v1, "0:26 / ", "0:26 /docker/c0 "), "9:memory:/docker/c01\n", nil},
		"nowhere mounted":     {"", "9:memory:/a\n0::/\n", nil},
		"nonsense":            {"a - b\n - \n1 2 3 4 5 - cgroup2\n", "x\n::\n0::/\n", nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := findHierarchies(c.mounts, c.own)
			for i := range got {
				got[i].controllers = append([]string(nil), got[i].controllers...)
			}
			require.Equal(t, c.want, got)
		})
	}
}

// looksLikeVersion2 returns a hierarchy in a directory with the files of a version 2 group. If the kernel has
// no memory controller in version 2, tests can check only what is written to which file.
func looksLikeVersion2(t *testing.T, dir, procs, passed string) hierarchy {
	t.Helper()
	for file, text := range map[string]string{
		"cgroup.controllers": "cpuset cpu io memory pids\n", "cgroup.procs": procs, "cgroup.subtree_control": passed,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644))
	}
	return hierarchy{unified: true, dir: dir}
}

func TestControllersArePassedOn(t *testing.T) {
	t.Parallel()
	read := func(dir, file string) string {
		text, err := os.ReadFile(filepath.Join(dir, file))
		require.NoError(t, err)
		return string(text)
	}
	dir := t.TempDir()
	tree := looksLikeVersion2(t, dir, "77\n", "")
	require.True(t, tree.delegateControllers(77))
	require.Equal(t, []string{"memory", "pids", "cpu"}, tree.controllers)
	require.Equal(t, "+memory +pids +cpu", read(dir, "cgroup.subtree_control"))

	there := looksLikeVersion2(t, t.TempDir(), "77\n", "cpu io memory pids\n")
	require.True(t, there.delegateControllers(77))
	require.Equal(t, "cpu io memory pids\n", read(there.dir, "cgroup.subtree_control"), "it is left alone")

	none := looksLikeVersion2(t, t.TempDir(), "77\n", "")
	require.NoError(t, os.WriteFile(filepath.Join(none.dir, "cgroup.controllers"), []byte("hugetlb\n"), 0o644))
	require.False(t, none.delegateControllers(77))

	shared := looksLikeVersion2(t, t.TempDir(), "77\n78\n", "")
	require.NoError(t, os.Remove(filepath.Join(shared.dir, "cgroup.subtree_control")))
	require.False(t, shared.delegateControllers(77), "somebody else is in the group")
}

func TestWhatALimitIsCalled(t *testing.T) {
	t.Parallel()
	l := Limits{Memory: 1000, Processes: 8}
	all := func(unified bool) string {
		tree := hierarchy{unified: unified, controllers: usedControllers}
		var lines []string
		for _, s := range tree.listSettings(l) {
			lines = append(lines, s.file+"="+s.value)
		}
		return strings.Join(lines, " ")
	}
	require.Equal(t, "memory.max=1000 memory.swap.max=0 memory.oom.group=1 pids.max=40", all(true))
	require.Equal(t, "memory.limit_in_bytes=1000 memory.memsw.limit_in_bytes=1000 pids.max=40 cpu.shares="+strconv.Itoa(1024*runtime.NumCPU()), all(false))
}

// The groups of commands are removed with them, this program's threads are back in their group, and Describe
// says what enforces the limits.
func TestNoGroupIsLeft(t *testing.T) {
	t.Parallel()
	groups := Find()
	if groups == nil {
		require.Contains(t, groups.Describe(), "rlimits")
		return // not allowed to create groups
	}
	require.Contains(t, groups.Describe(), "by cgroup v")
	for range 3 {
		g := groups.NewGroup(Limits{Memory: 1 << 30, Processes: 512})
		require.NotNil(t, g)
		for _, p := range g.places {
			require.DirExists(t, p.dir)
		}
		var own string
		process.OnNewThread(func() {
			g.Start(func() error { //nolint:errcheck // nothing is started
				text, _ := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/cgroup", unix.Gettid()))
				own = string(text)
				return nil
			})
		})
		for _, p := range g.places {
			require.Equal(t, !p.tree.unified, strings.Contains(own, filepath.Base(p.dir)))
		}
		g.Remove()
		for _, p := range g.places {
			require.NoDirExists(t, p.dir)
		}
		tasks, err := filepath.Glob("/proc/self/task/*/cgroup")
		require.NoError(t, err)
		for _, task := range tasks {
			own, _ := os.ReadFile(task)
			require.NotContains(t, string(own), filepath.Base(g.places[0].dir))
		}
	}
}

func TestGroupsOfTheDeadAreSwept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dead := exec.Command("true")
	require.NoError(t, dead.Run())
	of := func(pid int) string {
		d := filepath.Join(dir, ownerPrefix(pid)+"1")
		require.NoError(t, os.Mkdir(d, 0o755))
		return d
	}
	gone, ours, other := of(dead.Process.Pid), of(os.Getpid()), filepath.Join(dir, "bobbin-notes")
	require.NoError(t, os.Mkdir(other, 0o755))
	hierarchy{dir: dir}.sweepDead()
	require.NoDirExists(t, gone)
	require.DirExists(t, ours)
	require.DirExists(t, other)
}

// A program in another PID name space, as in another container, sweeps only the groups of its own one: it
// does not see whether the programs of the others run.
func TestGroupsOfAnotherNameSpaceStay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ours := filepath.Join(dir, ownerPrefix(os.Getpid())+"1")
	require.NoError(t, os.Mkdir(ours, 0o755))
	inside := exec.Command("/proc/self/exe")
	inside.Env = append(os.Environ(), sweepsIn+"="+dir)
	inside.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}
	out, err := inside.CombinedOutput()
	require.NoError(t, err, "%s", out)
	left, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, left, 1, "the group of the dead program inside is swept")
	require.DirExists(t, ours)
}

// Processes that a killed program left in its groups are killed when the next program starts. Processes of a
// running program are not.
func TestWhatIsLeftInAGroupIsEnded(t *testing.T) {
	t.Parallel()
	g := Find()
	if g == nil {
		return // not allowed to create groups
	}
	dies := exec.Command("sleep", "600") // killed only below, because tests of other packages also sweep
	require.NoError(t, dies.Start())
	t.Cleanup(func() { dies.Process.Kill() }) //nolint:errcheck // it has ended
	left := func(pid int) (*exec.Cmd, string) {
		var in Group
		for _, tree := range g.trees {
			dir, err := tree.makeGroup(Limits{Memory: 1 << 30, Processes: 512}, pid)
			require.NoError(t, err)
			in.places = append(in.places, groupDir{tree, dir})
			if tree.unified {
				in.into, err = os.Open(dir)
				require.NoError(t, err)
			}
		}
		sleep := exec.Command("sleep", "600")
		sleep.SysProcAttr = &syscall.SysProcAttr{}
		in.PlaceIn(sleep.SysProcAttr)
		process.OnNewThread(func() { in.Start(sleep.Start) }) //nolint:errcheck // it is looked for below
		require.NotNil(t, sleep.Process)
		t.Cleanup(func() { sleep.Process.Kill(); sleep.Wait(); in.Remove() }) //nolint:errcheck // it may be gone
		return sleep, in.places[0].dir
	}
	orphan, gone := left(dies.Process.Pid)
	ours, stays := left(os.Getpid())
	Find()
	require.DirExists(t, gone, "its program runs")
	require.NoError(t, dies.Process.Kill())
	require.EqualError(t, dies.Wait(), "signal: killed")
	require.Eventually(t, func() bool { // a group that cannot be removed at one start is removed at the next
		Find()
		_, err := os.Stat(gone)
		return os.IsNotExist(err)
	}, time.Minute, 10*time.Millisecond)
	require.EqualError(t, orphan.Wait(), "signal: killed")
	require.DirExists(t, stays)
	require.NoError(t, ours.Process.Signal(unix.Signal(0)), "it runs")
}

func TestAsAnOrdinaryUser(t *testing.T) {
	require.Contains(t, usertest.Rerun(t, nil, "-test.skip", "TestAsAnOrdinaryUser"), "--- PASS: TestNoGroupIsLeft")
}
