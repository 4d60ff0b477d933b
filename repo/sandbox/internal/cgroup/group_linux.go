package cgroup

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// A Group holds the control groups of one command. Nil means that it has none.
type Group struct {
	places []groupDir
	into   *os.File // the directory of the version 2 group, in which the process is started
}

// A groupDir is the command's group in one hierarchy.
type groupDir struct {
	tree hierarchy
	dir  string
}

// NewGroup creates the groups for a command with these limits. If a group cannot be created, the command runs
// without it.
func (g *Groups) NewGroup(l Limits) *Group {
	if g == nil {
		return nil
	}
	var out Group
	for _, t := range g.trees {
		dir, err := t.makeGroup(l, os.Getpid())
		if err != nil {
			continue
		}
		if t.unified {
			f, err := os.OpenFile(dir, unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
			if err != nil {
				unix.Rmdir(dir) //nolint:errcheck // it is empty
				continue
			}
			out.into = f
		}
		out.places = append(out.places, groupDir{t, dir})
	}
	if len(out.places) == 0 {
		return nil
	}
	return &out
}

// Start calls begin so that the process that begin starts is in the groups from its first moment. The caller
// must be in process.OnNewThread. In version 1, a thread can be in another group than its process, and a new
// process begins in the group of the thread that starts it. In version 2, PlaceIn tells the kernel the group.
func (g *Group) Start(begin func() error) error {
	if g == nil {
		return begin()
	}
	thread := strconv.Itoa(unix.Gettid())
	for _, p := range g.places {
		if p.tree.unified || writeGroup(p.dir, "tasks", thread) != nil {
			continue // run without this group
		}
		defer func() {
			if writeGroup(p.tree.dir, "tasks", thread) != nil {
				runtime.LockOSThread() // one call more than unlocks: the thread ends with its goroutine
			}
		}()
	}
	return begin()
}

// PlaceIn makes a process start in the version 2 group.
func (g *Group) PlaceIn(a *syscall.SysProcAttr) {
	if g != nil && g.into != nil {
		a.UseCgroupFD = true
		a.CgroupFD = int(g.into.Fd())
	}
}

// HasController reports whether the controller limits the group.
func (g *Group) HasController(controller string) bool {
	return g != nil && slices.ContainsFunc(g.places,
		func(p groupDir) bool { return slices.Contains(p.tree.controllers, controller) })
}

// OutOfMemory returns how many processes of the group the kernel killed because of its memory limit.
func (g *Group) OutOfMemory() (killed int) {
	if g == nil {
		return 0
	}
	for _, p := range g.places {
		file := "memory.oom_control"
		if p.tree.unified {
			file = "memory.events"
		}
		killed += CountKills(filepath.Join(p.dir, file))
	}
	return killed
}

// CountKills returns how many processes a file, memory.events of version 2 or memory.oom_control of version
// 1, counts that the kernel killed because of the memory limit of their group.
func CountKills(file string) int {
	text, _ := os.ReadFile(file)
	for line := range strings.Lines(string(text)) {
		if n, ok := strings.CutPrefix(line, "oom_kill "); ok {
			killed, _ := strconv.Atoi(strings.TrimSpace(n))
			return killed
		}
	}
	return 0
}

// Kill kills all processes of the groups, including those that have not executed the command yet.
func (g *Group) Kill() {
	if g == nil {
		return
	}
	for _, p := range g.places {
		killGroup(p.dir)
	}
}

// Remove removes the groups, and kills the processes that are still in them.
func (g *Group) Remove() {
	if g == nil {
		return
	}
	if g.into != nil {
		g.into.Close()
	}
	for _, p := range g.places {
		removeGroup(p.dir)
	}
}
