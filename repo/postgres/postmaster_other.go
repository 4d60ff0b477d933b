//go:build !linux

package postgres

import (
	"os/exec"
	"strconv"
	"strings"
)

// isPostmaster reports whether a live process is a Postgres server.
func isPostmaster(pid int, _ string) bool {
	out, err := exec.Command("ps", "-o", "comm=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.Contains(string(out), "post")
}
