package sandbox

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

// A group is the control groups of one command. Nil: it has none.
type group struct {
	places []groupDir
	into   *os.File // the group of version 2, for the process to be started into
}

// A groupDir is the command's group in one hierarchy.
type groupDir struct {
	tree groupTree
	dir  string
}

// group makes the groups for a command with these limits. Where one cannot be made any
// more, the command goes without.
func (g *groups) group(l Limits) *group {
	if g == nil {
		return nil
	}
	var out group
	for _, t := range g.trees {
		dir, err := t.make(l, os.Getpid())
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

// isFirstThread reports whether the caller runs on the thread that the kernel takes for
// the process.
func isFirstThread() bool { return unix.Gettid() == os.Getpid() }

// start calls begin so that what it starts is in the groups from its first moment. The
// caller is in onThread. In version 1 a thread may be in another group
// than its process, and a process begins in the group of the thread that starts it; in
// version 2 the kernel is told by placeIn.
func (g *group) start(begin func() (process, error)) (process, error) {
	if g == nil {
		return begin()
	}
	thread := strconv.Itoa(unix.Gettid())
	for _, p := range g.places {
		if p.tree.unified || writeGroup(p.dir, "tasks", thread) != nil {
			continue // without, then
		}
		defer func() {
			if writeGroup(p.tree.dir, "tasks", thread) != nil {
				runtime.LockOSThread() // once more than it is unlocked: the thread ends with its goroutine
			}
		}()
	}
	return begin()
}

// placeIn has a process start in the group of version 2.
func (g *group) placeIn(a *syscall.SysProcAttr) {
	if g != nil && g.into != nil {
		a.UseCgroupFD, a.CgroupFD = true, int(g.into.Fd())
	}
}

// holds reports whether a controller keeps its limit for the group.
func (g *group) holds(controller string) bool {
	return g != nil && slices.ContainsFunc(g.places, func(p groupDir) bool { return slices.Contains(p.tree.controllers, controller) })
}

// starved reports whether the kernel killed a process of the group for its memory.
func (g *group) starved() bool {
	if g == nil {
		return false
	}
	for _, p := range g.places {
		file := "memory.oom_control"
		if p.tree.unified {
			file = "memory.events"
		}
		text, _ := os.ReadFile(filepath.Join(p.dir, file))
		for line := range strings.Lines(string(text)) {
			if n, ok := strings.CutPrefix(line, "oom_kill "); ok && strings.TrimSpace(n) != "0" {
				return true
			}
		}
	}
	return false
}

// kill ends every process of the groups, also what was only about to become the command.
func (g *group) kill() {
	if g == nil {
		return
	}
	for _, p := range g.places {
		killGroup(p.dir)
	}
}

// remove takes the groups away, with whatever is in them still.
func (g *group) remove() {
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
