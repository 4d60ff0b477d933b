package sandbox

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

func TestWhereGroupsCanBe(t *testing.T) {
	t.Parallel()
	const (
		v1 = "30 25 0:26 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory\n" +
			"31 25 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n" +
			"32 25 0:28 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n" +
			"33 25 0:29 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
		v2 = "35 24 0:30 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n"
	)
	tree := func(dir string, controllers ...string) groupTree {
		return groupTree{unified: controllers == nil, dir: dir, controllers: controllers}
	}
	cases := map[string]struct {
		mounts, own string
		want        []groupTree
	}{
		"version 2":           {v2, "0::/system.slice/bobbin.service\n", []groupTree{tree("/sys/fs/cgroup/system.slice/bobbin.service")}},
		"version 2, own root": {v2, "0::/\n", []groupTree{tree("/sys/fs/cgroup")}},
		"version 1": {
			v1, "9:memory:/a/b\n5:cpu,cpuacct:/\n4:freezer:/\n3:name=systemd:/x\n2:pids:/\n0::/\n",
			[]groupTree{tree("/sys/fs/cgroup/memory/a/b", "memory"), tree("/sys/fs/cgroup/cpu,cpuacct", "cpu"), tree("/sys/fs/cgroup/unified")},
		},
		"in a container": {
			strings.ReplaceAll(v1, "0:26 / ", "0:26 /docker/c0 "), "9:memory:/docker/c0\n", []groupTree{tree("/sys/fs/cgroup/memory", "memory")},
		},
		"another container's": {strings.ReplaceAll(v1, "0:26 / ", "0:26 /docker/c0 "), "9:memory:/docker/c01\n", nil},
		"nowhere mounted":     {"", "9:memory:/a\n0::/\n", nil},
		"nonsense":            {"a - b\n - \n1 2 3 4 5 - cgroup2\n", "x\n::\n0::/\n", nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := groupTrees(c.mounts, c.own)
			for i := range got {
				got[i].controllers = append([]string(nil), got[i].controllers...)
			}
			require.Equal(t, c.want, got)
		})
	}
}

// looksLikeVersion2 is a directory with the files of a group of version 2. Where the
// kernel has no memory controller there, this is all of it that can be tried: what is
// written where.
func looksLikeVersion2(t *testing.T, dir, procs, passed string) groupTree {
	t.Helper()
	for file, text := range map[string]string{
		"cgroup.controllers": "cpuset cpu io memory pids\n", "cgroup.procs": procs, "cgroup.subtree_control": passed,
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644))
	}
	return groupTree{unified: true, dir: dir}
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
	require.True(t, tree.delegate(77))
	require.Equal(t, []string{"memory", "pids", "cpu"}, tree.controllers)
	require.Equal(t, "+memory +pids +cpu", read(dir, "cgroup.subtree_control"))

	there := looksLikeVersion2(t, t.TempDir(), "77\n", "cpu io memory pids\n")
	require.True(t, there.delegate(77))
	require.Equal(t, "cpu io memory pids\n", read(there.dir, "cgroup.subtree_control"), "it is left alone")

	none := looksLikeVersion2(t, t.TempDir(), "77\n", "")
	require.NoError(t, os.WriteFile(filepath.Join(none.dir, "cgroup.controllers"), []byte("hugetlb\n"), 0o644))
	require.False(t, none.delegate(77))

	shared := looksLikeVersion2(t, t.TempDir(), "77\n78\n", "")
	require.NoError(t, os.Remove(filepath.Join(shared.dir, "cgroup.subtree_control")))
	require.False(t, shared.delegate(77), "somebody else is in the group")
}

func TestWhatALimitIsCalled(t *testing.T) {
	t.Parallel()
	l := Limits{Memory: 1000, Processes: 8}
	all := func(unified bool) string {
		tree := groupTree{unified: unified, controllers: groupControllers}
		var lines []string
		for _, s := range tree.settings(l) {
			lines = append(lines, s.file+"="+s.value)
		}
		return strings.Join(lines, " ")
	}
	require.Equal(t, "memory.max=1000 memory.swap.max=0 memory.oom.group=1 pids.max=40", all(true))
	require.Equal(t, "memory.limit_in_bytes=1000 memory.memsw.limit_in_bytes=1000 pids.max=40 cpu.shares="+strconv.Itoa(1024*runtime.NumCPU()), all(false))
}

// realVersion2 is this process's group in the real tree of version 2, whatever controllers
// there are.
func realVersion2(t *testing.T) groupTree {
	t.Helper()
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	require.NoError(t, err)
	own, err := os.ReadFile("/proc/self/cgroup")
	require.NoError(t, err)
	for _, tree := range groupTrees(string(mounts), string(own)) {
		if !tree.unified {
			continue
		}
		if dir, err := os.MkdirTemp(tree.dir, fmt.Sprintf("%s%d-", groupPrefix, os.Getpid())); err == nil {
			require.NoError(t, unix.Rmdir(dir))
			return tree
		}
	}
	return groupTree{} // not here, or not by us
}

// A command starts in its group of version 2, is killed with all of it, and the group is
// gone afterwards. Nothing but the kernel's own files is in the tree.
func TestCommandsAreInAGroupOfVersion2(t *testing.T) {
	tree := realVersion2(t)
	if tree.dir == "" {
		return
	}
	everyKind(t, func(t *testing.T, s *Sandbox) {
		in := *s
		in.groups = &groups{trees: []groupTree{tree}}
		where := func(s *Sandbox) string {
			m := newMark()
			c := s.Command(workspace(t, s), "sh", "-c", "echo up; exec sleep "+string(m))
			up := make(writes, 8)
			c.Stdout = up
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := make(chan error, 1)
			go func() { ended <- c.Run(ctx) }()
			<-up
			groups, _ := filepath.Glob(filepath.Join(tree.dir, fmt.Sprintf("bobbin-%d-*/cgroup.procs", os.Getpid())))
			found := ""
			for _, g := range groups {
				procs, _ := os.ReadFile(g)
				for _, pid := range strings.Fields(string(procs)) {
					if line, _ := os.ReadFile("/proc/" + pid + "/cmdline"); strings.Contains(string(line), string(m)) {
						found = filepath.Dir(g)
					}
				}
			}
			if found != "" {
				require.NoError(t, writeGroup(found, "cgroup.kill", "1"))
				require.Equal(t, "killed", reason(t, <-ended))
				require.NoDirExists(t, found)
			} else {
				cancel()
				<-ended
			}
			return found
		}
		require.NotEmpty(t, where(&in))
		bare := *s
		bare.groups = nil
		require.Empty(t, where(&bare))
	})
}

// The thread that the kernel takes for the process stays in the process's group: what the
// program itself needs would be counted as the command's, and new groups would be made
// below that one.
func TestTheFirstThreadStartsNothing(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { onThread(func() { require.False(t, isFirstThread()); runtime.Gosched() }) })
	}
	all.Wait()
}

// The groups of commands are gone with them, this program's threads are where they were,
// and what holds the limits is told.
func TestNoGroupIsLeft(t *testing.T) {
	everyKind(t, func(t *testing.T, s *Sandbox) {
		if s.groups == nil {
			require.Contains(t, s.Describe(), "rlimits")
			return // nobody lets us make any
		}
		require.Contains(t, s.Describe(), "by cgroup v")
		g := s.groups.group(Limits{}.withDefaults())
		require.NotNil(t, g)
		for _, p := range g.places {
			require.DirExists(t, p.dir)
		}
		var own string
		onThread(func() {
			g.start(func() (process, error) { //nolint:errcheck // nothing is started
				text, _ := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/cgroup", unix.Gettid()))
				own = string(text)
				return ended{}, nil
			})
		})
		for _, p := range g.places {
			require.Equal(t, !p.tree.unified, strings.Contains(own, filepath.Base(p.dir)))
		}
		g.remove()
		for _, p := range g.places {
			require.NoDirExists(t, p.dir)
		}
		tasks, err := filepath.Glob("/proc/self/task/*/cgroup")
		require.NoError(t, err)
		for _, task := range tasks {
			own, _ := os.ReadFile(task)
			require.NotContains(t, string(own), filepath.Base(g.places[0].dir))
		}
	})
}

func TestGroupsOfTheDeadAreSwept(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dead := exec.Command("true")
	require.NoError(t, dead.Run())
	of := func(pid int) string {
		d := filepath.Join(dir, groupPrefix+strconv.Itoa(pid)+"-1")
		require.NoError(t, os.Mkdir(d, 0o755))
		return d
	}
	gone, ours, other := of(dead.Process.Pid), of(os.Getpid()), filepath.Join(dir, "bobbin-notes")
	require.NoError(t, os.Mkdir(other, 0o755))
	groupTree{dir: dir}.sweep()
	require.NoDirExists(t, gone)
	require.DirExists(t, ours)
	require.DirExists(t, other)
}

// What a killed program left running in its groups ends when the next one starts; what
// another program has running stays.
func TestWhatIsLeftInAGroupIsEnded(t *testing.T) {
	t.Parallel()
	g := findGroups()
	if g == nil {
		return // nobody lets us make any
	}
	dead := exec.Command("true")
	require.NoError(t, dead.Run())
	left := func(pid int) (*exec.Cmd, string) {
		var in group
		for _, tree := range g.trees {
			dir, err := tree.make(Limits{}.withDefaults(), pid)
			require.NoError(t, err)
			in.places = append(in.places, groupDir{tree, dir})
			if tree.unified {
				in.into, err = os.Open(dir)
				require.NoError(t, err)
			}
		}
		sleep := exec.Command("sleep", "600")
		sleep.SysProcAttr = &syscall.SysProcAttr{}
		in.placeIn(sleep.SysProcAttr)
		onThread(func() { in.start(func() (process, error) { return nil, sleep.Start() }) }) //nolint:errcheck // it is looked for below
		require.NotNil(t, sleep.Process)
		t.Cleanup(func() { sleep.Process.Kill(); sleep.Wait(); in.remove() }) //nolint:errcheck // it may be gone
		return sleep, in.places[0].dir
	}
	orphan, gone := left(dead.Process.Pid)
	ours, stays := left(os.Getpid())
	findGroups()
	require.NoDirExists(t, gone)
	require.EqualError(t, orphan.Wait(), "signal: killed")
	require.DirExists(t, stays)
	require.NoError(t, ours.Process.Signal(unix.Signal(0)), "it runs")
}
