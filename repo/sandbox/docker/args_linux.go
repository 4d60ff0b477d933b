package docker

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/sandbox/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/initproc"
	"github.com/bobbinhq/bobbin/repo/sandbox/process"
	"github.com/bobbinhq/bobbin/repo/sandbox/user"
)

// sharedProcesses is the limit on processes that the first process sets for itself where
// it has the machine's user numbers: there, the kernel counts what that user runs in all
// containers together. The engine counts this container's.
const sharedProcesses = 1 << 16

// A guestDir is a directory of the machine that is shown at /run/box.
type guestDir struct {
	path         string
	life, report *os.File // both ends of each pipe are ours until the command starts
}

// newGuestDir writes the orders and the small files, and makes the pipes.
func newGuestDir(o initproc.Orders) (_ *guestDir, err error) {
	path, err := os.MkdirTemp("", "bobbin-box-")
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	b := &guestDir{path: path}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	if err := os.Chmod(path, 0o755); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	for i, f := range o.Layout.Files {
		if err := os.WriteFile(b.filePath(i), f.Data, 0o444); err != nil {
			return nil, fmt.Errorf("sandbox: %w", err)
		}
	}
	orders, err := os.OpenFile(filepath.Join(path, "orders"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o444)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	defer orders.Close()
	if err := o.ForInside().Write(orders); err != nil {
		return nil, fmt.Errorf("sandbox: orders: %w", err)
	}
	if err := os.WriteFile(filepath.Join(path, "program"), nil, 0o444); err != nil { // where it is mounted
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	if b.life, err = makePipe(filepath.Join(path, "life")); err != nil {
		return nil, err
	}
	b.report, err = makePipe(filepath.Join(path, "report"))
	return b, err
}

// makePipe makes a named pipe that the commands' user may open, and opens it.
func makePipe(path string) (*os.File, error) {
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	uid, gid := user.CommandUser()
	if err := os.Chown(path, uid, gid); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	return f, nil
}

func (b *guestDir) filePath(i int) string { return filepath.Join(b.path, "file"+strconv.Itoa(i)) }

// removePipes takes the pipes away once the first process has them: the command shall not.
func (b *guestDir) removePipes() {
	os.Remove(filepath.Join(b.path, "life"))
	os.Remove(filepath.Join(b.path, "report"))
}

func (b *guestDir) close() {
	process.CloseAll([]*os.File{b.life, b.report})
	os.RemoveAll(b.path)
}

// buildArgs returns the words of the engine's for one command. The limits that are not here are set inside, by
// the program; the engine's own filter stays in force beside ours.
func (d *docker) buildArgs(name string, o initproc.Orders, l backend.Limits, b *guestDir) []string {
	uid, gid := user.CommandUser()
	memory := strconv.FormatInt(l.Memory+o.Layout.Fill, 10)                                // what lies in /tmp is counted with it
	fresh := "rw,exec,nosuid,nodev,mode=1777,size=" + strconv.FormatInt(o.Layout.Fill, 10) // there is nobody else
	if d.podman {
		fresh += ",notmpcopyup" // else what the image has there comes along
	} else {
		fresh += fmt.Sprintf(",uid=%d,gid=%d", uid, gid) // where the image has the directory, its mode counts
	}
	args := []string{
		"run", "--rm", "--interactive", "--name", name, "--label", dockerLabel, "--pull", "never", "--log-driver", "none",
		"--network", "none", "--ipc", "private", "--hostname", "box", "--read-only",
		"--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--user", fmt.Sprintf("%d:%d", uid, gid),
		"--memory", memory, "--memory-swap", memory, "--pids-limit", strconv.Itoa(l.Processes + 16), // the program's own threads
		"--ulimit", "core=0:0", "--ulimit", fmt.Sprintf("nofile=%d:%[1]d", backend.OpenFiles), "--shm-size", strconv.Itoa(backend.ShmSize),
		"--tmpfs", "/tmp:" + fresh, "--tmpfs", "/home/box:" + fresh,
		"--workdir", "/", "--entrypoint", initproc.GuestProgram,
	}
	if d.podman && !user.RunsAsRoot() {
		args = append(args, "--userns", "keep-id") // else the caller would be root inside
	}
	args = append(args, "--mount", mountFlag(backend.Bind{Host: b.path, Inside: initproc.GuestDir}))
	for _, m := range o.Layout.Binds {
		args = append(args, "--mount", mountFlag(m))
	}
	for i, f := range o.Layout.Files {
		args = append(args, "--mount", mountFlag(backend.Bind{Host: b.filePath(i), Inside: f.Inside}))
	}
	return append(args, d.image, initproc.GuestMarker)
}

// mountFlag is a mount as the engines read it: fields with commas between, as in a table.
func mountFlag(m backend.Bind) string {
	fields := []string{"type=bind", "source=" + m.Host, "target=" + m.Inside}
	if !m.Writable {
		fields = append(fields, "readonly")
	}
	var text strings.Builder
	w := csv.NewWriter(&text)
	w.Write(fields) //nolint:errcheck // it writes to memory
	w.Flush()
	return strings.TrimSuffix(text.String(), "\n")
}
