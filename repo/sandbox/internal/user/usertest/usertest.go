//go:build linux

// Package usertest runs the tests of a package again as a user who is not root.
package usertest

import (
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// ordinaryID is the uid and gid of the ordinary user, who owns no files.
const ordinaryID = 65534

// Directory returns a temporary directory that the ordinary user owns and can reach. It is removed after the
// test.
func Directory(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "bobbin-user-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	if os.Geteuid() == 0 {
		_ = os.Chown(dir, ordinaryID, ordinaryID) // in a container, root may be the only user
	}
	return dir
}

// Rerun runs this test binary as an ordinary user, with more flags and variables, and returns its output. It
// skips the test if this user is an ordinary user already.
func Rerun(t testing.TB, env []string, flags ...string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("this is an ordinary user already")
	}
	dir := Directory(t)
	again := exec.Command("/proc/self/exe", append([]string{"-test.v"}, flags...)...)
	again.Dir = dir
	again.Env = append(append(os.Environ(), "TMPDIR="+dir, "HOME="+dir), env...)
	again.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ordinaryID, Gid: ordinaryID}}
	out, err := again.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}
