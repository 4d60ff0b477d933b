package cgroup

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// MachineMemory returns the memory of the machine in bytes, or the limit of a control group that this program
// is in if that is less; 0 means unknown.
func MachineMemory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	most := int64(info.Totalram) * int64(info.Unit) //nolint:unconvert // the types differ by processor
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	own, _ := os.ReadFile("/proc/self/cgroup")
	for _, t := range findHierarchies(string(mounts), string(own)) {
		for dir := t.dir; strings.HasPrefix(dir, "/sys/"); dir = filepath.Dir(dir) {
			for _, file := range []string{"memory.max", "memory.limit_in_bytes"} {
				text, _ := os.ReadFile(filepath.Join(dir, file))
				if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && n > 0 {
					most = min(most, n)
				}
			}
		}
	}
	return most
}
