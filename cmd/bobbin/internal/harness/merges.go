package harness

import (
	"errors"
	"os/exec"
)

// RemoteMerges returns whether a branch of a bare repository on this machine merges into base, in the words
// of hosttest. It asks git itself, as a git host does; "" means that git cannot tell.
func RemoteMerges(dir, branch, base string) string {
	err := exec.Command("git", "-C", dir, "merge-tree", "--write-tree", base, branch).Run()
	var failed *exec.ExitError
	switch {
	case err == nil:
		return "clean"
	case errors.As(err, &failed) && failed.ExitCode() == 1:
		return "conflicts"
	}
	return ""
}
