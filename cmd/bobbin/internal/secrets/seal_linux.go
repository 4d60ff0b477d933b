package secrets

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// overwriteEnviron overwrites the values of variables in the memory that /proc/PID/environ shows: the
// kernel keeps the environment that a process started with, whatever the process unsets later. Go works on
// copies. If it fails, other processes of the same user can read the values until SealProcess is called.
func overwriteEnviron(names []string) {
	mem, err := os.OpenFile("/proc/self/mem", os.O_RDWR, 0)
	if err != nil {
		return
	}
	defer mem.Close()
	start, block := environBlock(mem)
	at := start
	for entry := range bytes.SplitAfterSeq(block, []byte{0}) {
		for _, name := range names {
			if rest, ok := bytes.CutPrefix(entry, []byte(name+"=")); ok {
				value := bytes.TrimSuffix(rest, []byte{0})
				_, _ = mem.WriteAt(make([]byte, len(value)), at+int64(len(name)+1))
			}
		}
		at += int64(len(entry))
	}
}

// environBlock returns the address and the current content of the environment that this process started
// with.
func environBlock(mem *os.File) (start int64, block []byte) {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0, nil
	}
	// The second field is a name that may contain spaces; env_start and env_end are fields 50 and 51.
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
	const envStart, envEnd = 50 - 3, 51 - 3
	if len(fields) <= envEnd {
		return 0, nil
	}
	start, _ = strconv.ParseInt(fields[envStart], 10, 64)
	end, _ := strconv.ParseInt(fields[envEnd], 10, 64)
	if start <= 0 || end <= start || end-start > 16<<20 {
		return 0, nil
	}
	block = make([]byte, end-start)
	if _, err := mem.ReadAt(block, start); err != nil {
		return 0, nil
	}
	return start, block
}

// SealProcess keeps other processes of the same user from reading this process' memory and environment, and
// disables core dumps. Root can read them all the same.
func SealProcess() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("keep other processes out of this one's memory: %w", err)
	}
	return nil
}
