package process

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// MeasureTree returns the memory of root and the processes below it. It does not count the
// processes: the kernel limits their number.
func MeasureTree(root int) Usage {
	var u Usage
	for _, pid := range Subtree(root) {
		u.Memory += MeasureMemory(pid)
	}
	return u
}

// Subtree returns root and all processes below it. Orphans stay below: the first process of the
// name space takes them in.
func Subtree(root int) []int {
	pids := []int{root}
	for i := 0; i < len(pids); i++ {
		tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pids[i]))
		if err != nil {
			continue
		}
		for _, task := range tasks {
			children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pids[i], task.Name()))
			for _, word := range strings.Fields(string(children)) {
				if pid, err := strconv.Atoi(word); err == nil {
					pids = append(pids, pid)
				}
			}
		}
	}
	return pids
}

// MeasureMemory returns the anonymous and shared memory of a process in bytes. Programs and
// libraries that are mapped from files are not counted.
func MeasureMemory(pid int) int64 { return SumStatus(pid, "RssAnon:", "RssShmem:") }

// SumStatus returns the sum of fields of /proc/PID/status in bytes.
func SumStatus(pid int, fields ...string) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	var sum int64
	for line := range strings.Lines(string(status)) {
		if words := strings.Fields(line); len(words) > 1 && slices.Contains(fields, words[0]) {
			kib, _ := strconv.ParseInt(words[1], 10, 64)
			sum += kib << 10
		}
	}
	return sum
}

// StartTime returns when a process started, in the machine's ticks, or "" if there is none.
func StartTime(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(text), ") ") // the name may hold anything
	if fields := strings.Fields(after); len(fields) > 19 {
		return fields[19]
	}
	return ""
}

// OnNewThread calls f on a thread of its own: a command is tied to the thread that starts it,
// which must not end before it does, and which may be in another control group for a
// moment. So it must not be the process's first thread, whose group is the process's.
func OnNewThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if unix.Gettid() == os.Getpid() {
			OnNewThread(f) // which gets another one, as long as we hold this
			return
		}
		f()
	}()
	<-done
}

// DieWithParent ends the process when the thread that starts it does.
func DieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }

// opening is held while this process is open to others of its user. It is about the
// process, of which there is one.
var opening sync.Mutex

// StartMapped starts a process in a user name space of its own. A process that is not
// dumpable, as the bot makes itself, may not write its children's map of users where it
// is not root: it is dumpable for as long as that takes.
func StartMapped(cmd *exec.Cmd) error {
	opening.Lock()
	defer opening.Unlock()
	if was, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); err == nil && was != 1 {
		if err := unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0); err != nil {
			return err
		}
		defer func() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }()
	}
	return cmd.Start()
}

// CloseOnExec keeps every descriptor from first on out of what is executed from now on:
// what this program inherited was not marked by anybody.
func CloseOnExec(first uint) {
	unix.CloseRange(first, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) //nolint:errcheck // kernels before 5.11 lack it; Go marks its own
}
