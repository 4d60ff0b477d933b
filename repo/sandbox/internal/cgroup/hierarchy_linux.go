package cgroup

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// usedControllers lists the controllers that this package uses, if the kernel and the machine's configuration
// allow it.
var usedControllers = []string{"memory", "pids", "cpu"}

// namePrefix is the prefix of the names of all groups.
const namePrefix = "bobbin-"

// ownerPrefix returns the prefix of the names of the groups that a process of this PID name space creates:
// the number of the name space, and the number of the process in it. Programs in two containers may share a
// hierarchy, and see none of each other's processes.
func ownerPrefix(pid int) string { return fmt.Sprintf("%s%d-", spacePrefix(), pid) }

func spacePrefix() string {
	link, _ := os.Readlink("/proc/self/ns/pid") // pid:[4026531836], pid_namespaces(7)
	return namePrefix + strings.Trim(link, "pid:[]") + "."
}

// Groups holds the hierarchies in which this program can create a control group for each command. Nil means
// that there are none; then rlimits of single processes and the watch over all processes enforce the limits.
type Groups struct {
	trees []hierarchy
}

// A hierarchy is one hierarchy of control groups.
type hierarchy struct {
	unified     bool // version 2
	dir         string
	controllers []string // the controllers that can be used there
}

// Find returns the hierarchies in which groups can be created, by trying, and removes the groups of dead
// programs. It returns nil if there are none, which is the usual case and not an error.
func Find() *Groups {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return nil
	}
	var g Groups
	for _, t := range findHierarchies(string(mounts), string(own)) {
		t.sweepDead()
		if t.canMakeGroups(os.Getpid()) {
			g.trees = append(g.trees, t)
		}
	}
	if len(g.trees) == 0 {
		return nil
	}
	return &g
}

// findHierarchies returns the hierarchies of this process, each with the directory of its own group. mounts
// and own are the contents of /proc/self/mountinfo and /proc/self/cgroup.
func findHierarchies(mounts, own string) (trees []hierarchy) {
	for line := range strings.Lines(own) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3) // number:controllers:path
		if len(parts) != 3 {
			continue
		}
		t := hierarchy{unified: parts[1] == "", controllers: keepUsed(strings.Split(parts[1], ","))}
		if !t.unified && len(t.controllers) == 0 {
			continue
		}
		if t.dir = t.findMounted(mounts, parts[2]); t.dir != "" {
			trees = append(trees, t)
		}
	}
	return trees
}

func keepUsed(names []string) (out []string) {
	for _, c := range usedControllers {
		if slices.Contains(names, c) {
			out = append(out, c)
		}
	}
	return out
}

// findMounted returns the directory of the group at path below the mount of its hierarchy, or "".
func (h hierarchy) findMounted(mounts, path string) string {
	for line := range strings.Lines(mounts) {
		left, right, ok := strings.Cut(line, " - ")
		fields := strings.Fields(left)
		kind := strings.Fields(right)
		if !ok || len(fields) < 5 || len(kind) < 3 {
			continue
		}
		ours := h.unified && kind[0] == "cgroup2" ||
			!h.unified && kind[0] == "cgroup" &&
				len(keepUsed(strings.Split(kind[2], ","))) == len(h.controllers) &&
				slices.Contains(strings.Split(kind[2], ","), h.controllers[0])
		below, inside := strings.CutPrefix(path, strings.TrimSuffix(fields[3], "/"))
		if ours && inside && (below == "" || below[0] == '/') {
			return filepath.Join(fields[4], below)
		}
	}
	return ""
}

// sweepDead removes the groups of dead programs of this PID name space, and kills the processes in them: a
// command that was being set up when its program died may still run.
func (h hierarchy) sweepDead() {
	space := spacePrefix()
	left, _ := filepath.Glob(filepath.Join(h.dir, space+"*"))
	for _, dir := range left {
		number, _, _ := strings.Cut(strings.TrimPrefix(filepath.Base(dir), space), "-")
		pid, err := strconv.Atoi(number)
		if err == nil && pid > 0 && errors.Is(unix.Kill(pid, 0), unix.ESRCH) {
			removeGroup(dir)
		}
	}
}

// removeGroup kills all processes of the group and removes it. If it cannot be removed now, the next start
// removes it.
func removeGroup(dir string) {
	for range 100 {
		if err := unix.Rmdir(dir); !errors.Is(err, unix.EBUSY) {
			return
		}
		killGroup(dir)
		time.Sleep(2 * time.Millisecond)
	}
}

// killGroup kills every process of the group; in version 2 the kernel does so at once.
func killGroup(dir string) {
	if writeGroup(dir, "cgroup.kill", "1") == nil {
		return
	}
	pids, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
	for _, word := range strings.Fields(string(pids)) {
		if pid, err := strconv.Atoi(word); err == nil && pid > 0 && pid != os.Getpid() {
			unix.Kill(pid, unix.SIGKILL) //nolint:errcheck // it may be gone
		}
	}
}

// canMakeGroups reports whether groups can be created in this hierarchy, with at least one controller.
func (h *hierarchy) canMakeGroups(pid int) bool {
	if h.unified && !h.delegateControllers(pid) {
		return false
	}
	trial, err := h.makeGroup(Limits{Memory: 1 << 30, Processes: 512}, pid)
	if err != nil {
		return false
	}
	return unix.Rmdir(trial) == nil
}

// delegateControllers enables the controllers of this program's group for the groups below it. The kernel
// allows this only if no process is in the group itself, so if this program is alone in the group, it moves
// itself into a new group below. Groups of systemd are used only if systemd has delegated them
// (Delegate=yes).
func (h *hierarchy) delegateControllers(pid int) bool {
	there, err := os.ReadFile(filepath.Join(h.dir, "cgroup.controllers"))
	if err != nil {
		return false
	}
	h.controllers = keepUsed(strings.Fields(string(there)))
	if len(h.controllers) == 0 || !h.isDelegated() {
		return false
	}
	if h.passControllers() == nil {
		return true
	}
	procs, err := os.ReadFile(filepath.Join(h.dir, "cgroup.procs"))
	if err != nil || string(bytes.TrimSpace(procs)) != strconv.Itoa(pid) {
		return false
	}
	own := filepath.Join(h.dir, ownerPrefix(pid)+"self")
	if os.Mkdir(own, 0o755) != nil {
		return false
	}
	if writeGroup(own, "cgroup.procs", strconv.Itoa(pid)) == nil && h.passControllers() == nil {
		return true
	}
	writeGroup(h.dir, "cgroup.procs", strconv.Itoa(pid)) //nolint:errcheck // back to where we were
	unix.Rmdir(own)                                      //nolint:errcheck // it is empty
	return false
}

// passControllers enables the controllers for the groups below this program's group.
func (h *hierarchy) passControllers() error {
	passed, err := os.ReadFile(filepath.Join(h.dir, "cgroup.subtree_control"))
	if err != nil {
		return err
	}
	if len(keepUsed(strings.Fields(string(passed)))) == len(h.controllers) {
		return nil
	}
	return writeGroup(h.dir, "cgroup.subtree_control", "+"+strings.Join(h.controllers, " +"))
}

// isDelegated reports whether systemd has delegated the group or does not own it. Programs that do not run as
// root can write only to delegated groups.
func (h *hierarchy) isDelegated() bool {
	switch filepath.Ext(h.dir) {
	case ".service", ".scope", ".slice":
	default:
		return true
	}
	if os.Geteuid() != 0 {
		return true
	}
	for _, name := range []string{"trusted.delegate", "user.delegate"} {
		var value [8]byte
		if n, err := unix.Getxattr(h.dir, name, value[:]); err == nil && string(value[:n]) == "1" {
			return true
		}
	}
	return false
}

// makeGroup creates a group with these limits and returns its directory.
func (h *hierarchy) makeGroup(l Limits, pid int) (string, error) {
	dir, err := os.MkdirTemp(h.dir, ownerPrefix(pid))
	if err != nil {
		return "", err
	}
	for _, s := range h.listSettings(l) {
		if err := writeGroup(dir, s.file,
			s.value); err != nil && !(s.optional && errors.Is(err, os.ErrNotExist)) {
			unix.Rmdir(dir) //nolint:errcheck // it is empty
			return "", err
		}
	}
	return dir, nil
}

// A setting is the value of one file of a group.
type setting struct {
	file, value string
	optional    bool // some kernels do not have the file
}

// ownProcessAllowance is the number of this program's own processes that a group may hold
// in addition to the command's.
const ownProcessAllowance = 32

// listSettings returns the limits as settings for the files of this hierarchy. All processes of a command
// together get the processor time of as many processes as there are processors.
func (h *hierarchy) listSettings(l Limits) (out []setting) {
	memory := strconv.FormatInt(l.Memory, 10)
	processes := strconv.Itoa(l.Processes + ownProcessAllowance)
	for _, c := range h.controllers {
		switch {
		case c == "memory" && h.unified:
			out = append(out, setting{file: "memory.max", value: memory},
				setting{"memory.swap.max", "0", true})
			if !l.KillOne { // version 1 never kills the whole group by itself
				out = append(out, setting{"memory.oom.group", "1", true})
			}
		case c == "memory":
			out = append(out, setting{file: "memory.limit_in_bytes", value: memory},
				setting{"memory.memsw.limit_in_bytes", memory, true})
		case c == "pids":
			out = append(out, setting{file: "pids.max", value: processes})
		case !h.unified:
			// in version 1, groups compete with single processes; in version 2, with the group of the program
			out = append(out, setting{"cpu.shares", strconv.Itoa(1024 * runtime.NumCPU()), true})
		}
	}
	return out
}

func writeGroup(dir, file, value string) error {
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	return errors.Join(err, f.Close())
}

// Describe describes how limits are enforced.
func (g *Groups) Describe() string {
	if g == nil {
		return "limits by rlimits and a watch"
	}
	var parts []string
	for _, t := range g.trees {
		version := "v1"
		if t.unified {
			version = "v2"
		}
		parts = append(parts, fmt.Sprintf("%s by cgroup %s", strings.Join(t.controllers, " and "), version))
	}
	return strings.Join(parts, ", ")
}

// FindUnified returns this process's own version 2 group and its directory, whatever its controllers. It
// returns nil if there is none or if no groups can be created in it. Groups created there have no limits;
// they are for tests of processes that start in them.
func FindUnified() (groups *Groups, dir string) {
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	own, _ := os.ReadFile("/proc/self/cgroup")
	for _, t := range findHierarchies(string(mounts), string(own)) {
		if !t.unified {
			continue
		}
		if trial, err := t.makeGroup(Limits{}, os.Getpid()); err == nil {
			unix.Rmdir(trial) //nolint:errcheck // it is empty
			return &Groups{trees: []hierarchy{t}}, t.dir
		}
	}
	return nil, ""
}
