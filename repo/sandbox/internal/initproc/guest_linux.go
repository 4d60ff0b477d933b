package initproc

import (
	"context"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/cgroup"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/process"
)

// GuestMarker is the argument that makes this program the first process in a sandbox that gVisor or an engine
// built.
const GuestMarker = "bobbin-sandbox-enter"

// GuestDir is mounted in a sandbox that gVisor or an engine built. It holds the program and its orders. In a
// container, it also holds two pipes: the process exits when the first is closed, and writes its reports to
// the second.
const (
	GuestDir     = "/run/box"
	GuestProgram = GuestDir + "/program"
	GuestOrders  = GuestDir + "/orders"
	guestLife    = GuestDir + "/life"
	guestReport  = GuestDir + "/report"
)

// runGuest runs the first process in a sandbox that gVisor or a container engine built. It confines itself as
// in the kind namespaces, with the same limits and the same filter, and runs the command. It does not return.
//
// In a container it writes its reports to a pipe, and exits when another pipe is closed. In gVisor it is
// watched from outside, and its exit code is the command's.
func runGuest() {
	var say io.Writer = io.Discard
	if pipe, err := os.OpenFile(guestReport, os.O_WRONLY|unix.O_CLOEXEC, 0); err == nil {
		say = pipe
	}
	if pipe, err := os.OpenFile(guestLife, os.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0); err == nil {
		go func() {
			io.Copy(io.Discard, pipe) //nolint:errcheck // any end is the end
			syscall.Exit(backend.CodeKilled)
		}()
	}
	code, err := obeyOrders(json.NewEncoder(say))
	if err != nil {
		fmt.Fprintf(os.Stderr, "sandbox: %v\n", err)
		code = backend.CodeSetup
	}
	syscall.Exit(code)
}

func obeyOrders(say *json.Encoder) (int, error) {
	file, err := os.Open(GuestOrders)
	if err != nil {
		return 0, err
	}
	var o Orders
	err = gob.NewDecoder(file).Decode(&o)
	file.Close()
	if err != nil {
		return 0, fmt.Errorf("orders: %w", err)
	}
	if path := os.Getenv("PATH"); o.ImagePath && path != "" {
		o.Env = append(slices.DeleteFunc(o.Env,
			func(kv string) bool { return strings.HasPrefix(kv, "PATH=") }), "PATH="+path)
	}
	if err := ConfineCommand(o); err != nil {
		return 0, err
	}
	signal.Notify(make(chan os.Signal, 1)) // signals from commands are dropped, and not inherited as ignored
	say.Encode(Report{Started: true})      //nolint:errcheck // there is nobody else to tell
	if o.Memory > 0 {
		overuse := func(u process.Usage) string {
			if u.Memory > o.Memory {
				return "memory"
			}
			return ""
		}
		go process.Watch(context.Background(),
			func() process.Usage { return process.MeasureTree(os.Getpid()) }, overuse, func(reason string) {
				say.Encode(Report{Reason: reason}) //nolint:errcheck // likewise
				syscall.Exit(backend.CodeKilled)
			})
	}
	code, err := RunCommand(o)
	if err != nil {
		return 0, err
	}
	r := Report{Code: code}
	if code == backend.CodeKilled && hasRunOutOfMemory() {
		// the engine's memory limit, which is higher, was reached between two measurements
		r.Reason = "memory"
	}
	say.Encode(r) //nolint:errcheck // likewise
	return code, nil
}

// hasRunOutOfMemory reports whether the kernel killed a process of this sandbox because of its memory limit.
func hasRunOutOfMemory() bool {
	return cgroup.CountKills("/sys/fs/cgroup/memory.events") > 0 ||
		cgroup.CountKills("/sys/fs/cgroup/memory/memory.oom_control") > 0
}

// init runs the first process if gVisor or a container engine has started this process as such, and then does
// not return.
func init() {
	if len(os.Args) == 2 && os.Args[1] == GuestMarker && os.Getpid() == 1 {
		runtime.LockOSThread()
		runGuest()
	}
}

// WithProgram adds this program to the layout, at GuestProgram and for each file with a source, which is this
// program, too.
func WithProgram(l backend.Layout) (backend.Layout, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return l, fmt.Errorf("sandbox: this program's own file, which has to be shown: %w", err)
	}
	l.Binds = append(slices.Clone(l.Binds), backend.Bind{Host: self, Inside: GuestProgram})
	var files []backend.File
	for _, f := range l.Files {
		if f.Source() != nil {
			l.Binds = append(l.Binds, backend.Bind{Host: self, Inside: f.Inside})
			continue
		}
		files = append(files, f)
	}
	l.Files = files
	return l, nil
}

// WithCopy adds a copy of this program to the layout, for callers who cannot reach its file.
func WithCopy(l backend.Layout, self *os.File) backend.Layout {
	l.Files = append(slices.Clone(l.Files), backend.ProgramFile(GuestProgram, self))
	return l
}
