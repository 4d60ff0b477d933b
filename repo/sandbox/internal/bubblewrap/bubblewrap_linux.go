package bubblewrap

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

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/process"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/rootfs"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/seccomp"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user"
)

// Descriptors of bwrap, after its three streams. Only mountHostsAndExecBwrap reads the first.
const (
	bwrapOrders = 3 + iota
	bwrapStatus
	bwrapFilter
	bwrapFirst // contents of files to create
)

// A bubblewrap is the backend that uses bwrap.
type bubblewrap struct {
	path    string
	version string
	help    string // output of bwrap --help, which lists its options
}

// Open finds bwrap on the PATH.
func Open() (backend.Backend, error) {
	path, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, &backend.Unavailable{
			Why:  "bwrap is not installed",
			Cure: "install the package bubblewrap (apt-get install bubblewrap, dnf install bubblewrap)",
		}
	}
	version, err := exec.Command(path, "--version").Output()
	if err != nil {
		return nil, fmt.Errorf("bwrap --version: %w", err)
	}
	help, _ := exec.Command(path, "--help").CombinedOutput() // some versions print it and exit with 1
	return &bubblewrap{path: path, version: strings.TrimSpace(string(version)), help: string(help)}, nil
}

func (b *bubblewrap) Describe() string {
	uid, _ := user.CommandUser()
	return fmt.Sprintf("%s, uid %d, seccomp, no network", b.version, uid)
}

func (b *bubblewrap) Environment() backend.Environment {
	return backend.Environment{User: user.InsideID}
}

func (b *bubblewrap) Remedy(string) string { return "" }

func (b *bubblewrap) Start(j *backend.Job) (backend.Process, error) {
	var open []*os.File // closed here, because bwrap has inherited them by then
	defer func() { process.CloseAll(open) }()
	status, say, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	open = append(open, say)
	l := backend.NewLayout(j)
	files := []*os.File{say}
	contents, err := b.openContents(l)
	open = append(open, contents...)
	if err != nil {
		status.Close()
		return nil, err
	}
	files = append(files, contents...)
	for i, f := range l.Files { // the caller closes the file of the probes
		if f.Source() != nil {
			files = slices.Insert(files, 2+i, f.Source())
		}
	}
	process.CloseOnExec(3)
	cmd, err := b.startBwrap(j, l, files)
	if err != nil {
		status.Close()
		return nil, err
	}
	return newBwrapProcess(cmd, status), nil
}

// openContents returns the filter, the files without a source and those of the home as open files, ready to
// be read.
func (b *bubblewrap) openContents(l backend.Layout) ([]*os.File, error) {
	program, err := seccomp.EncodeFilter()
	if err != nil {
		return nil, err
	}
	var out []*os.File
	datas := [][]byte{program}
	for _, f := range l.Files {
		if f.Source() == nil {
			datas = append(datas, f.Data)
		}
	}
	for _, f := range backend.HomeFiles() {
		datas = append(datas, f.Data)
	}
	for _, data := range datas {
		f, err := newMemoryFile(data)
		if err != nil {
			return out, err
		}
		out = append(out, f)
	}
	return out, nil
}

// newMemoryFile returns a file in memory that contains data, positioned at its start.
func newMemoryFile(data []byte) (*os.File, error) {
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

// startBwrap starts bwrap. If the program runs as root and the commands' user cannot reach the paths to
// mount, it uses mountHostsAndExecBwrap.
func (b *bubblewrap) startBwrap(j *backend.Job, l backend.Layout, files []*os.File) (*exec.Cmd, error) {
	cmd := &exec.Cmd{
		// with an empty environment: bwrap stays the first process inside
		Path: b.path, Env: []string{}, Dir: "/",
		Stdin: j.Stdin, Stdout: j.Stdout, Stderr: j.Stderr,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	process.DieWithParent(cmd.SysProcAttr)
	j.PlaceIn(cmd.SysProcAttr)
	far := user.RunsAsRoot() &&
		slices.ContainsFunc(l.Binds, func(d backend.Bind) bool { return !user.IsReachable(d.Host) })
	if far {
		return cmd, b.startThroughMountNamespace(cmd, j, l, files)
	}
	if user.RunsAsRoot() {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: user.OutsideID, Gid: user.OutsideID}
	}
	cmd.Args = b.buildArgs(j, l)
	cmd.ExtraFiles = append([]*os.File{nil}, files...)
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("sandbox: bwrap: %w", err)
	}
	return cmd, nil
}

// startThroughMountNamespace starts bwrap through mountHostsAndExecBwrap.
func (b *bubblewrap) startThroughMountNamespace(
	cmd *exec.Cmd, j *backend.Job, l backend.Layout, files []*os.File,
) error {
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()
	defer write.Close()
	o := reachOrders{Path: b.path}
	for i, d := range l.Binds {
		o.Hosts = append(o.Hosts, d.Host)
		l.Binds[i].Host = stagedHostPath(i)
	}
	o.Args = b.buildArgs(j, l)
	cmd.Path = "/proc/self/exe"
	cmd.Args = []string{reachMarker}
	cmd.SysProcAttr.Cloneflags = unix.CLONE_NEWNS
	cmd.ExtraFiles = append([]*os.File{read}, files...)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("sandbox: a mount name space of our own, "+
			"without which uid %d cannot enter the directories above %v: %w", user.OutsideID, o.Hosts, err)
	}
	if err := gob.NewEncoder(write).Encode(o); err != nil && !errors.Is(err, syscall.EPIPE) {
		cmd.Process.Kill() //nolint:errcheck // it may be gone
		cmd.Wait()         //nolint:errcheck // it was killed
		return fmt.Errorf("sandbox: %w", err)
	}
	return nil
}

// buildArgs returns the arguments of bwrap, followed by the command.
func (b *bubblewrap) buildArgs(j *backend.Job, l backend.Layout) []string {
	args := []string{
		"bwrap", "--unshare-user", "--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts",
		"--unshare-cgroup-try", "--uid", strconv.Itoa(user.InsideID), "--gid",
		strconv.Itoa(user.InsideID), "--hostname", "box", "--die-with-parent", "--new-session",
		"--cap-drop", "ALL", // root of a container has capabilities to drop
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
	for _, p := range rootfs.Masked {
		if _, err := os.Stat(p); err == nil {
			args = append(args, "--ro-bind", "/dev/null", p)
		}
	}
	fill := strconv.FormatInt(l.Fill, 10)
	args = append(args, "--dev", "/dev",
		"--size", strconv.Itoa(backend.ShmSize), "--perms", "1777", "--tmpfs", "/dev/shm", "--remount-ro",
		"/dev",
		"--size", fill, "--perms", "1777", "--tmpfs", "/tmp",
		"--size", fill, "--perms", "0700", "--tmpfs", backend.Home)
	args = appendBinds(args, l.Binds)
	for i, f := range l.Files {
		args = append(args, "--perms", fmt.Sprintf("%04o", f.Mode), "--ro-bind-data",
			strconv.Itoa(bwrapFirst+i), f.Inside)
	}
	for i, f := range backend.HomeFiles() {
		args = append(args, "--perms", fmt.Sprintf("%04o", f.Mode), "--file",
			strconv.Itoa(bwrapFirst+len(l.Files)+i), f.Inside)
	}
	args = append(args, "--remount-ro", "/", "--chdir", "/src",
		"--seccomp", strconv.Itoa(bwrapFilter), "--json-status-fd", strconv.Itoa(bwrapStatus))
	for _, kv := range j.Env {
		name, value, _ := strings.Cut(kv, "=")
		args = append(args, "--setenv", name, value)
	}
	return append(append(args, "--", "/bin/sh", "-c", limitScript(j.Limits), "sh", j.Dir), j.Args...)
}

func appendBinds(args []string, binds []backend.Bind) []string {
	for _, d := range binds {
		how := "--ro-bind"
		if d.Writable {
			how = "--bind"
		}
		args = append(args, how, d.Host, d.Inside)
	}
	return args
}

// limitScript returns a shell script that sets the limits inside, where they count only this command's
// processes, waits until the first process is confined, and then executes the command. Shells count file
// sizes in blocks of 512 bytes. The wait is needed because bwrap starts the command before its first process
// has dropped its capabilities and, as its last step, loaded the filter: until then, a command could take
// that process over.
func limitScript(l backend.Limits) string {
	return fmt.Sprintf(
		`umask 022; ulimit -c 0; ulimit -n %d 2>/dev/null; ulimit -t %d 2>/dev/null; ulimit -f %d 2>/dev/null
ulimit -u %d 2>/dev/null || ulimit -p %[4]d 2>/dev/null ||
	{ echo "sandbox: this shell cannot limit processes" >&2; exit 126; }
box_filter=
until [ "$box_filter" = 2 ]; do
	while read -r box_field box_filter; do [ "$box_field" = Seccomp: ] && break; done </proc/1/status ||
		{ echo "sandbox: the first process does not tell whether it is confined" >&2; exit 126; }
done
cd -- "$1" || exit 126
shift
exec "$@"`, backend.OpenFiles, l.CPUSeconds(), l.FileSize/512, l.Processes)
}
