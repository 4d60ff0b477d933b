package postgres

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// isPostmaster reports whether a live process is the server of the data folder. A server's working
// directory is its data folder.
func isPostmaster(pid int, data string) bool {
	proc := filepath.Join("/proc", strconv.Itoa(pid))
	comm, err := os.ReadFile(filepath.Join(proc, "comm"))
	if err != nil || !strings.HasPrefix(string(comm), "post") {
		return false
	}
	cwd, err := os.Readlink(filepath.Join(proc, "cwd"))
	if real, err := filepath.EvalSymlinks(data); err == nil {
		data = real
	}
	return err != nil || cwd == data
}
