package sandbox

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// watchEvery is how often the memory of a running command is summed. RLIMIT_AS breaks Go
// and Node, RLIMIT_DATA the race detector, and cgroups are not always ours to make.
const watchEvery = 50 * time.Millisecond

// watchMemory calls over once the processes below root hold more than limit.
func watchMemory(ctx context.Context, root int, limit int64, over func()) {
	wait := watchEvery
	for root > 0 {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		began := time.Now()
		var sum int64
		for _, pid := range tree(root) {
			sum += held(pid)
		}
		if sum > limit {
			over()
			return
		}
		wait = max(watchEvery, 4*time.Since(began)) // at most a fifth of a processor
	}
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
func held(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	var sum int64
	for line := range strings.Lines(string(status)) {
		if strings.HasPrefix(line, "RssAnon:") || strings.HasPrefix(line, "RssShmem:") {
			if words := strings.Fields(line); len(words) > 1 {
				kib, _ := strconv.ParseInt(words[1], 10, 64)
				sum += kib << 10
			}
		}
	}
	return sum
}
