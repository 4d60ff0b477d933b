package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// gvisorMarker is the argument that tells Main that it is to keep a gVisor.
const gvisorMarker = "bobbin-sandbox-gvisor"

// gvisor is the kind whose commands meet a kernel of their own, written in Go, and never
// the machine's. As for namespaces, the program executes itself as the first process of
// new name spaces, as the commands' user; there it builds the file system and an OCI
// bundle in memory, makes them the only files there are, and runs runsc over them. So a
// way out of gVisor would lead into an empty world, and whatever happens to us, the first
// process's death is the death of all, and nothing is left on a disk.
type gvisor struct {
	path    string // absolute
	version string
}

func newGVisor(ctx context.Context, path string) (way, error) {
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
		return nil, unavailable(KindGVisor, errors.New("runsc is not installed"))
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, found, "--version").Output()
	if err != nil {
		return nil, unavailable(KindGVisor, fmt.Errorf("runsc --version: %w", err))
	}
	first, _, _ := strings.Cut(string(out), "\n")
	version := strings.TrimPrefix(strings.TrimSpace(first), "runsc version ")
	return &gvisor{path: found, version: strings.TrimPrefix(version, "VERSION_MISSING")}, nil // built by the go command alone it knows none
}

func (g *gvisor) describe() string {
	uid, _ := outsideUser()
	return strings.TrimSpace("gvisor "+g.version) + fmt.Sprintf(", uid %d, seccomp, no network", uid)
}

func (g *gvisor) world() world { return world{User: insideID, Kernel: true} }

func (g *gvisor) start(j *job) (process, error) {
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return nil, fmt.Errorf("sandbox: this program's own file: %w", err)
	}
	defer self.Close()
	l, err := j.layout().withProgram()
	if err != nil {
		l = j.layout().withCopy(self)
	}
	l.Fill = min(l.Fill, j.limits.Memory/4) // see use
	o, sources := j.orders(l)
	o.Runsc = g.path
	attr := newSpacesAttr()
	// What runsc needs to build its own, over nothing but these name spaces.
	attr.AmbientCaps = append(attr.AmbientCaps, unix.CAP_SYS_CHROOT, unix.CAP_SYS_PTRACE,
		unix.CAP_CHOWN, unix.CAP_DAC_READ_SEARCH, unix.CAP_FOWNER, unix.CAP_FSETID)
	first, err := startFirst(j, gvisorMarker, o, sources, attr)
	if err != nil {
		return nil, err
	}
	return &kept{confined: first, fill: l.Fill}, nil
}

// kept is a running gVisor.
type kept struct {
	*confined
	fill   int64 // how much may lie in /tmp
	mu     sync.Mutex
	memory string // where its memory can be looked at, once that is found
}

func (k *kept) wait() (outcome, error) {
	out, err := k.confined.wait()
	out.Ours = true
	return out, err
}

// use is gVisor's own memory together with what its commands have, which is one file of
// its, mapped by many: adding that up process by process would count it many times. What
// lies in /tmp is in there too and cannot be told apart; as much as may is not counted,
// which is why less may than elsewhere.
// A process inside is one of gVisor's outside, apart from the few that it needs itself.
func (k *kept) use() usage {
	const ofGVisor = 16
	pids := tree(k.pid())
	u := usage{processes: max(0, len(pids)-ofGVisor)}
	file, known := k.memoryFile(pids)
	for _, pid := range pids {
		if known {
			u.memory += heldOf(pid, "RssAnon:")
		} else {
			u.memory += held(pid)
		}
	}
	return usage{memory: u.memory + max(0, file-k.fill), processes: u.processes}
}

// memoryFile is how much of gVisor's memory file is in use.
func (k *kept) memoryFile(pids []int) (int64, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for i := 0; k.memory == "" && i < len(pids); i++ {
		k.memory = findMemory(pids[i])
	}
	var st syscall.Stat_t
	if k.memory == "" || syscall.Stat(k.memory, &st) != nil {
		return 0, false
	}
	return st.Blocks * 512, true
}

// findMemory looks for the memory file among a process's descriptors.
func findMemory(pid int) string {
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
