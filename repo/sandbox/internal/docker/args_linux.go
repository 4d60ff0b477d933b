package docker

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/initproc"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/process"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user"
)

// sharedProcesses returns the process limit that the first process sets for itself. It is high, because uids
// in a container are the machine's, and the kernel counts the processes of that user in all containers
// together. The engine limits the processes of this container. It is no more than the machine can have: an
// engine without the right to raise limits (CAP_SYS_RESOURCE) starts no container otherwise.
func sharedProcesses() int {
	most := 1 << 16
	if text, err := os.ReadFile("/proc/sys/kernel/pid_max"); err == nil {
		if n, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			most = min(most, n)
		}
	}
	var own syscall.Rlimit
	if syscall.Getrlimit(unix.RLIMIT_NPROC, &own) == nil && own.Max < uint64(most) {
		most = int(own.Max)
	}
	return most
}

// A guestDir is a directory of the machine that is mounted at /run/box.
type guestDir struct {
	path         string
	life, report *os.File // this process holds both ends of each pipe until the command starts
}

// newGuestDir creates the directory with the orders, the small files and the pipes.
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
	if err := os.WriteFile(filepath.Join(path, "program"), nil, 0o444); err != nil { // a mount point
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	if b.life, err = makePipe(filepath.Join(path, "life")); err != nil {
		return nil, err
	}
	b.report, err = makePipe(filepath.Join(path, "report"))
	return b, err
}

// makePipe creates a named pipe that the commands' user can open, and opens it.
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

func (g *guestDir) filePath(i int) string { return filepath.Join(g.path, "file"+strconv.Itoa(i)) }

// removePipes removes the pipes once the first process has opened them, so that the command cannot.
func (g *guestDir) removePipes() {
	os.Remove(filepath.Join(g.path, "life"))
	os.Remove(filepath.Join(g.path, "report"))
}

func (g *guestDir) close() {
	process.CloseAll([]*os.File{g.life, g.report})
	os.RemoveAll(g.path)
}

// buildArgs returns the arguments of the engine's program for one command. The program inside sets the other
// limits; the engine's own filter stays active in addition to ours.
func (d *docker) buildArgs(name string, o initproc.Orders, l backend.Limits, b *guestDir) []string {
	uid, gid := user.CommandUser()
	// files in /tmp count as memory
	memory := strconv.FormatInt(l.Memory+o.Layout.Fill, 10)
	// 1777 is safe, because there is only one user
	fresh := "rw,exec,nosuid,nodev,mode=1777,size=" + strconv.FormatInt(o.Layout.Fill, 10)
	if d.podman {
		fresh += ",notmpcopyup" // otherwise the image's content of these directories is copied in
	} else {
		fresh += fmt.Sprintf(",uid=%d,gid=%d", uid, gid) // if the image has the directory, its mode is used
	}
	args := []string{
		"run", "--rm", "--interactive", "--name", name, "--label", dockerLabel, "--pull", "never",
		"--log-driver", "none",
		"--network", "none", "--ipc", "private", "--hostname", "box", "--read-only",
		"--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--user", fmt.Sprintf("%d:%d", uid, gid),
		// includes the program's own threads
		"--memory", memory, "--memory-swap", memory, "--pids-limit", strconv.Itoa(l.Processes + 16),
		"--ulimit", "core=0:0", "--ulimit", fmt.Sprintf("nofile=%d:%[1]d", backend.OpenFiles),
		"--ulimit", fmt.Sprintf("nproc=%d:%[1]d", o.Processes), "--shm-size", strconv.Itoa(backend.ShmSize),
		"--tmpfs", "/tmp:" + fresh, "--tmpfs", backend.Home + ":" + fresh,
		"--workdir", "/", "--entrypoint", initproc.GuestProgram,
	}
	if d.podman && !user.RunsAsRoot() {
		args = append(args, "--userns", "keep-id") // otherwise the caller would be root inside
	}
	args = append(args, "--mount", mountFlag(backend.Bind{Host: b.path, Inside: initproc.GuestDir}))
	for _, m := range o.Layout.Binds {
		args = append(args, "--mount", mountFlag(m))
	}
	for i, f := range o.Layout.Files {
		args = append(args, "--mount", mountFlag(backend.Bind{Host: b.filePath(i), Inside: f.Inside}))
	}
	return append(args, cmp.Or(d.id, d.image), initproc.GuestMarker)
}

// mountFlag returns a mount in the format of the engines: fields separated by commas, quoted as in CSV.
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
