package gvisor

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/initproc"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/process"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user"
)

// Marker is the argument that makes this program run gVisor.
const Marker = "bobbin-sandbox-gvisor"

// A gvisor is the backend whose commands run on gVisor's kernel, which is written in Go, and never on the
// machine's. As in the kind namespaces, the program executes itself as the first process of new name spaces,
// as the commands' user. There it builds the file system and an OCI bundle in memory, makes them the only
// files there are, and runs runsc on them. So a way out of gVisor would lead into an empty file system, all
// processes die with the first process, whatever happens to this program, and nothing is left on a disk.
type gvisor struct {
	path    string // absolute
	version string
}

// Open finds runsc: the program at path, or runsc on the PATH if path is empty.
func Open(ctx context.Context, path string) (backend.Backend, error) {
	if path == "" {
		path = "runsc"
	}
	found, err := exec.LookPath(path)
	if err == nil {
		found, err = filepath.Abs(found)
	}
	if err == nil {
		found, err = filepath.EvalSymlinks(found)
	}
	if err != nil {
		return nil, newUnavailable("runsc is not installed")
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, found, "--version").Output()
	if err != nil {
		return nil, newUnavailable("runsc --version: " + err.Error())
	}
	first, _, _ := strings.Cut(string(out), "\n")
	version := strings.TrimPrefix(strings.TrimSpace(first), "runsc version ")
	return &gvisor{path: found, version: strings.TrimPrefix(version, "VERSION_MISSING")}, nil // a build by the go command alone has no version
}

func (g *gvisor) Describe() string {
	uid, _ := user.CommandUser()
	return strings.TrimSpace("gvisor "+g.version) + fmt.Sprintf(", uid %d, seccomp, no network", uid)
}

func (g *gvisor) Environment() backend.Environment {
	return backend.Environment{User: user.InsideID, OwnKernel: true}
}

func newUnavailable(why string) error {
	return &backend.Unavailable{Why: why, Cure: remedyFor(why)}
}

func (g *gvisor) Remedy(why string) string { return remedyFor(why) }

func remedyFor(why string) string {
	switch {
	case strings.Contains(why, "not installed"):
		return "install gVisor's runsc (https://gvisor.dev/docs/user_guide/install), or set sandbox.runsc to where it is"
	case strings.Contains(why, "runsc"):
		return "use gVisor's own build of runsc, of 2024 or newer: older ones, Debian's too, cannot run as a user that has no other users"
	}
	return ""
}

func (g *gvisor) Start(j *backend.Job) (backend.Process, error) {
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return nil, fmt.Errorf("sandbox: this program's own file: %w", err)
	}
	defer self.Close()
	l, err := initproc.WithProgram(backend.NewLayout(j))
	if err != nil {
		l = initproc.WithCopy(backend.NewLayout(j), self)
	}
	l.Fill = min(l.Fill, j.Limits.Memory/4) // see Usage
	o, sources := initproc.NewOrders(j, l)
	o.Runsc = g.path
	attr := initproc.NewAttributes()
	// The capabilities that runsc needs to build its sandbox, valid in these name spaces only.
	attr.AmbientCaps = append(attr.AmbientCaps, unix.CAP_SYS_CHROOT, unix.CAP_SYS_PTRACE,
		unix.CAP_CHOWN, unix.CAP_DAC_READ_SEARCH, unix.CAP_FOWNER, unix.CAP_FSETID)
	first, err := initproc.Start(j, Marker, o, sources, attr)
	if err != nil {
		return nil, err
	}
	return &runscProcess{InitProcess: first, fill: l.Fill}, nil
}

// A runscProcess is a running gVisor.
type runscProcess struct {
	*initproc.InitProcess
	fill   int64 // the size of /tmp and of /home/box in bytes
	mu     sync.Mutex
	memory string // path of the memory file, once it is found
}

func (p *runscProcess) Wait() (backend.Outcome, error) {
	out, err := p.InitProcess.Wait()
	out.Ours = true
	return out, err
}

// Usage returns gVisor's own memory together with that of its commands. The commands' memory is one file that
// many processes map, so it is counted once and not for each process. The files in /tmp are in it, too, and
// cannot be separated. As many bytes as /tmp may hold are not counted, which is why /tmp is smaller than in
// other kinds. Each process inside is one of gVisor's processes outside; the 16 processes that gVisor needs
// itself are subtracted.
func (p *runscProcess) Usage() process.Usage {
	const ofGVisor = 16
	pids := process.Subtree(p.PID())
	u := process.Usage{Processes: max(0, len(pids)-ofGVisor)}
	file, known := p.measureMemoryFile(pids)
	for _, pid := range pids {
		if known {
			u.Memory += process.SumStatus(pid, "RssAnon:")
		} else {
			u.Memory += process.MeasureMemory(pid)
		}
	}
	return process.Usage{Memory: u.Memory + max(0, file-p.fill), Processes: u.Processes}
}

// measureMemoryFile returns the used bytes of gVisor's memory file, and whether the file is known.
func (p *runscProcess) measureMemoryFile(pids []int) (int64, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i := 0; p.memory == "" && i < len(pids); i++ {
		p.memory = findMemoryFile(pids[i])
	}
	var st syscall.Stat_t
	if p.memory == "" || syscall.Stat(p.memory, &st) != nil {
		return 0, false
	}
	return st.Blocks * 512, true
}

// findMemoryFile returns the path of the memory file among the descriptors of a process, or "".
func findMemoryFile(pid int) string {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	entries, _ := os.ReadDir(dir)
	at := slices.IndexFunc(entries, func(e os.DirEntry) bool {
		link, _ := os.Readlink(filepath.Join(dir, e.Name()))
		return strings.HasPrefix(link, "/memfd:runsc-memory")
	})
	if at < 0 {
		return ""
	}
	return filepath.Join(dir, entries[at].Name())
}

// init runs the first process of the name spaces, which runs gVisor, if this process was started for that.
// Then it does not return.
func init() {
	if len(os.Args) == 1 && os.Args[0] == Marker && os.Getpid() == 1 {
		runtime.LockOSThread()
		initproc.Run(buildBundle, limitRunsc, runRunsc)
	}
}
