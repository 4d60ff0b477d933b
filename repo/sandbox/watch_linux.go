package sandbox

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// watchEvery is how often the memory of a running command is summed. RLIMIT_AS breaks Go
// and Node, RLIMIT_DATA the race detector, and cgroups are not always ours to make.
const watchEvery = 50 * time.Millisecond

// watch stops a job once it takes more than the limits allow, or, where a control group
// keeps the limit, once the kernel has killed one of its processes for it.
func watch(ctx context.Context, use func() usage, j *job, stop context.CancelCauseFunc) {
	wait := watchEvery
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		began := time.Now()
		u := use()
		if j.starved(u) {
			stop(stopped("memory"))
			return
		}
		if u.processes > j.limits.Processes {
			stop(stopped("processes"))
			return
		}
		wait = max(watchEvery, 4*time.Since(began)) // at most a fifth of a processor
	}
}

func (j *job) starved(u usage) bool {
	if j.group.holds("memory") {
		return j.group.starved()
	}
	return u.memory > j.limits.Memory
}

// treeUse is what the processes below root hold of memory; the kernel counts them itself.
func treeUse(root int) usage {
	var u usage
	for _, pid := range tree(root) {
		u.memory += held(pid)
	}
	return u
}

// tree is root and all processes below it. Orphans stay below: the first process of the
// name space takes them in.
func tree(root int) []int {
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

// held is what a process has of memory for itself or shared with its kind, in bytes;
// programs and libraries that are mapped from files are not counted.
func held(pid int) int64 { return heldOf(pid, "RssAnon:", "RssShmem:") }

// heldOf adds up some of the fields.
func heldOf(pid int, fields ...string) int64 {
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
