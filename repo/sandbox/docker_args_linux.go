package sandbox

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Pipes by which the first process inside hears of our death and reports to us.
const (
	boxLife   = "/run/box/life"
	boxReport = "/run/box/report"
)

// sharedProcesses is the limit on processes that the first process sets for itself where
// it has the machine's user numbers: there, the kernel counts what that user runs in all
// containers together. The engine counts this container's.
const sharedProcesses = 1 << 16

// A boxDir is a directory of the machine that is shown at /run/box.
type boxDir struct {
	path         string
	life, report *os.File // both ends of each pipe are ours until the command starts
}

// newBoxDir writes the orders and the small files, and makes the pipes.
func newBoxDir(o orders) (_ *boxDir, err error) {
	path, err := os.MkdirTemp("", "bobbin-box-")
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	b := &boxDir{path: path}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	if err := os.Chmod(path, 0o755); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	for i, f := range o.Layout.Files {
		if err := os.WriteFile(b.file(i), f.Data, 0o444); err != nil {
			return nil, fmt.Errorf("sandbox: %w", err)
		}
	}
	orders, err := os.OpenFile(filepath.Join(path, "orders"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o444)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	defer orders.Close()
	if err := o.forInside().write(orders); err != nil {
		return nil, fmt.Errorf("sandbox: orders: %w", err)
	}
	if err := os.WriteFile(filepath.Join(path, "program"), nil, 0o444); err != nil { // where it is mounted
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	if b.life, err = pipeAt(filepath.Join(path, "life")); err != nil {
		return nil, err
	}
	b.report, err = pipeAt(filepath.Join(path, "report"))
	return b, err
}

// pipeAt makes a named pipe that the commands' user may open, and opens it.
func pipeAt(path string) (*os.File, error) {
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	uid, gid := outsideUser()
	if err := os.Chown(path, uid, gid); err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	return f, nil
}

func (b *boxDir) file(i int) string { return filepath.Join(b.path, "file"+strconv.Itoa(i)) }

// unlink takes the pipes away once the first process has them: the command shall not.
func (b *boxDir) unlink() {
	os.Remove(filepath.Join(b.path, "life"))
	os.Remove(filepath.Join(b.path, "report"))
}

func (b *boxDir) close() {
	closeAll([]*os.File{b.life, b.report})
	os.RemoveAll(b.path)
}

// args are the engine's for one command. The limits that are not here are set inside, by
// the program; the engine's own filter stays in force beside ours.
func (d *docker) args(name string, o orders, l Limits, b *boxDir) []string {
	uid, gid := outsideUser()
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
		"--ulimit", "core=0:0", "--ulimit", fmt.Sprintf("nofile=%d:%[1]d", openFiles), "--shm-size", strconv.Itoa(shmSize),
		"--tmpfs", "/tmp:" + fresh, "--tmpfs", "/home/box:" + fresh,
		"--workdir", "/", "--entrypoint", boxProgram,
	}
	if d.podman && !asRoot() {
		args = append(args, "--userns", "keep-id") // else the caller would be root inside
	}
	args = append(args, "--mount", mountFlag(bind{Host: b.path, Inside: "/run/box"}))
	for _, m := range o.Layout.Binds {
		args = append(args, "--mount", mountFlag(m))
	}
	for i, f := range o.Layout.Files {
		args = append(args, "--mount", mountFlag(bind{Host: b.file(i), Inside: f.Inside}))
	}
	return append(args, d.image, enterMarker)
}

// mountFlag is a mount as the engines read it: fields with commas between, as in a table.
func mountFlag(m bind) string {
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
