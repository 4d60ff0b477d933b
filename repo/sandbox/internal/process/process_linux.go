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

// MeasureTree returns the memory of root and of all processes below it. It does not count the processes,
// because the kernel limits their number.
func MeasureTree(root int) Usage {
	var u Usage
	pids, tasks := subtree(root)
	u.Tasks = tasks
	for _, pid := range pids {
		u.Memory += MeasureMemory(pid)
	}
	return u
}

// Subtree returns root and all processes below it. Orphans stay below it, because they become children of the
// first process of the name space.
func Subtree(root int) []int {
	pids, _ := subtree(root)
	return pids
}

// subtree is Subtree, and also counts the threads.
func subtree(root int) (pids []int, threads int) {
	pids = []int{root}
	for i := 0; i < len(pids); i++ {
		tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pids[i]))
		if err != nil {
			continue
		}
		threads += len(tasks)
		for _, task := range tasks {
			children, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pids[i], task.Name()))
			for _, word := range strings.Fields(string(children)) {
				if pid, err := strconv.Atoi(word); err == nil {
					pids = append(pids, pid)
				}
			}
		}
	}
	return pids, threads
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

// StartTime returns when a process started, in the machine's clock ticks, or "" if there is no such process.
func StartTime(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(text), ") ") // the program's name may contain any character
	if fields := strings.Fields(after); len(fields) > 19 {
		return fields[19]
	}
	return ""
}

// OnNewThread calls f on a new thread and waits for it. A command is tied to the thread that starts it: the
// thread must not end before the command, and may be in another control group for a moment. So it must not be
// the first thread of the process, whose control group is that of the process.
func OnNewThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if unix.Gettid() == os.Getpid() {
			OnNewThread(f) // it gets another thread, because this goroutine still holds the first one
			return
		}
		f()
	}()
	<-done
}

// DieWithParent makes the process be killed when the thread that starts it ends.
func DieWithParent(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }

// opening is held while this process is dumpable. The flag belongs to the process, so there is one mutex for
// it.
var opening sync.Mutex

// StartMapped starts a process in a new user name space. A process that is not dumpable, as the bot makes
// itself, and not root must not write the user map of its children, so StartMapped makes it dumpable for that
// time.
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

// CloseOnExec keeps all descriptors from first on from being inherited by programs that are executed from now
// on. Descriptors that this program has inherited itself do not have that flag yet.
func CloseOnExec(first uint) {
	// kernels before 5.11 lack it; Go marks its own
	unix.CloseRange(first, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) //nolint:errcheck
}
