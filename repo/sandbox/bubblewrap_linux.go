package sandbox

import (
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Descriptors that bwrap gets, after its three streams. The first is only read by reach.
const (
	bwrapOrders = 3 + iota
	bwrapStatus
	bwrapFilter
	bwrapFirst // contents of files to make
)

// bubblewrap is the kind that leaves the building to bwrap.
type bubblewrap struct {
	path    string
	version string
	help    string // what bwrap --help says, to know its options
}

func newBubblewrap() (way, error) {
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, unavailable(KindBubblewrap, errors.New("bwrap is not installed"))
	}
	version, err := exec.Command(path, "--version").Output()
	if err != nil {
		return nil, unavailable(KindBubblewrap, fmt.Errorf("bwrap --version: %w", err))
	}
	help, _ := exec.Command(path, "--help").CombinedOutput() // some versions say it and exit with 1
	return &bubblewrap{path: path, version: strings.TrimSpace(string(version)), help: string(help)}, nil
}

func (b *bubblewrap) describe() string {
	uid, _ := outsideUser()
	return fmt.Sprintf("%s, uid %d, seccomp, no network", b.version, uid)
}

func (b *bubblewrap) world() world { return world{User: insideID} }

func (b *bubblewrap) start(j *job) (process, error) {
	var open []*os.File // closed here; bwrap has its own by then
	defer func() { closeAll(open) }()
	status, say, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	open = append(open, say)
	l := j.layout()
	files := []*os.File{say}
	contents, err := b.contents(l)
	open = append(open, contents...)
	if err != nil {
		status.Close()
		return nil, err
	}
	files = append(files, contents...)
	for i, f := range l.Files { // the probes' own file is not ours to close
		if f.source != nil {
			files = slices.Insert(files, 2+i, f.source)
		}
	}
	closeOnExec(3)
	cmd, err := b.command(j, l, files)
	if err != nil {
		status.Close()
		return nil, err
	}
	return follow(cmd, status), nil
}

// contents are the filter and the files that have no source, ready to be read.
func (b *bubblewrap) contents(l layout) ([]*os.File, error) {
	program, err := seccompBytes()
	if err != nil {
		return nil, err
	}
	var out []*os.File
	datas := [][]byte{program}
	for _, f := range l.Files {
		if f.source == nil {
			datas = append(datas, f.Data)
		}
	}
	for _, data := range datas {
		f, err := memory(data)
		if err != nil {
			return out, err
		}
		out = append(out, f)
	}
	return out, nil
}

// memory is a file in memory, at its start.
func memory(data []byte) (*os.File, error) {
	fd, err := unix.MemfdCreate("box", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	f := os.NewFile(uintptr(fd), "box")
	if _, err := f.Write(data); err != nil {
		f.Close()
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		f.Close()
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	return f, nil
}

// command starts bwrap, as root by way of reach where the commands' user cannot get to
// what is to be shown.
func (b *bubblewrap) command(j *job, l layout, files []*os.File) (*exec.Cmd, error) {
	cmd := &exec.Cmd{
		Path: b.path, Env: []string{}, Dir: "/", // an empty environment: bwrap stays the first process inside
		Stdin: j.stdio.in, Stdout: j.stdio.out, Stderr: j.stdio.err,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	dieWithParent(cmd.SysProcAttr)
	j.group.placeIn(cmd.SysProcAttr)
	far := asRoot() && slices.ContainsFunc(l.Binds, func(d bind) bool { return !reachable(d.Host) })
	if far {
		return cmd, b.startFar(cmd, j, l, files)
	}
	if asRoot() {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: outsideID, Gid: outsideID}
	}
	cmd.Args = b.args(j, l)
	cmd.ExtraFiles = append([]*os.File{nil}, files...)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("sandbox: bwrap: %w", err)
	}
	return cmd, nil
}

// startFar starts bwrap by way of reach.
func (b *bubblewrap) startFar(cmd *exec.Cmd, j *job, l layout, files []*os.File) error {
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()
	defer write.Close()
	o := reachOrders{Path: b.path}
	for i, d := range l.Binds {
		o.Hosts = append(o.Hosts, d.Host)
		l.Binds[i].Host = reached(i)
	}
	o.Args = b.args(j, l)
	cmd.Path, cmd.Args = "/proc/self/exe", []string{reachMarker}
	cmd.SysProcAttr.Cloneflags = unix.CLONE_NEWNS
	cmd.ExtraFiles = append([]*os.File{read}, files...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("sandbox: a mount name space of our own, without which uid %d cannot enter the directories above %v: %w", outsideID, o.Hosts, err)
	}
	if err := gob.NewEncoder(write).Encode(o); err != nil && !errors.Is(err, syscall.EPIPE) {
		cmd.Process.Kill() //nolint:errcheck // it may be gone
		cmd.Wait()         //nolint:errcheck // it was killed
		return fmt.Errorf("sandbox: %w", err)
	}
	return nil
}

// args are bwrap's own and the command.
func (b *bubblewrap) args(j *job, l layout) []string {
	args := []string{
		"bwrap", "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try",
		"--uid", strconv.Itoa(insideID), "--gid", strconv.Itoa(insideID), "--hostname", "box", "--die-with-parent", "--new-session",
		"--cap-drop", "ALL", // root of a container of its own has some to drop
	}
	if strings.Contains(b.help, "--disable-userns") {
		args = append(args, "--disable-userns")
	}
	args = append(args, "--tmpfs", "/")
	for _, link := range l.Links {
		args = append(args, "--symlink", link[0], link[1])
	}
	args = appendBinds(args, l.System)
	args = append(args, "--proc", "/proc")
	for _, p := range masked {
		if _, err := os.Stat(p); err == nil {
			args = append(args, "--ro-bind", "/dev/null", p)
		}
	}
	fill := strconv.FormatInt(l.Fill, 10)
	args = append(args, "--dev", "/dev",
		"--size", strconv.Itoa(shmSize), "--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro", "/dev",
		"--size", fill, "--perms", "1777", "--tmpfs", "/tmp",
		"--size", fill, "--perms", "0700", "--tmpfs", "/home/box")
	args = appendBinds(args, l.Binds)
	for i, f := range l.Files {
		args = append(args, "--perms", fmt.Sprintf("%04o", f.Mode), "--ro-bind-data", strconv.Itoa(bwrapFirst+i), f.Inside)
	}
	args = append(args, "--remount-ro", "/", "--chdir", "/src",
		"--seccomp", strconv.Itoa(bwrapFilter), "--json-status-fd", strconv.Itoa(bwrapStatus))
	for _, kv := range j.env {
		name, value, _ := strings.Cut(kv, "=")
		args = append(args, "--setenv", name, value)
	}
	return append(append(args, "--", "/bin/sh", "-c", wrapper(j.limits), "sh", j.dir()), j.cmd.Args...)
}

func appendBinds(args []string, binds []bind) []string {
	for _, d := range binds {
		how := "--ro-bind"
		if d.Writable {
			how = "--bind"
		}
		args = append(args, how, d.Host, d.Inside)
	}
	return args
}

// wrapper is the script that sets the limits inside, where they count this command's
// processes alone, and becomes the command. Shells count file sizes in blocks of 512.
func wrapper(l Limits) string {
	return fmt.Sprintf(`umask 022; ulimit -c 0; ulimit -n %d 2>/dev/null; ulimit -t %d 2>/dev/null; ulimit -f %d 2>/dev/null
ulimit -u %d 2>/dev/null || ulimit -p %[4]d 2>/dev/null || { echo "sandbox: this shell cannot limit processes" >&2; exit 126; }
cd -- "$1" || exit 126
shift
exec "$@"`, openFiles, l.cpuSeconds(), l.FileSize/512, l.Processes)
}
