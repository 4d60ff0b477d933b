package sandbox

import (
	"context"
	"encoding/gob"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// enterMarker is the argument that tells Main that somebody else's sandbox is around it.
const enterMarker = "bobbin-sandbox-enter"

// Where the program and its orders stand inside a sandbox of somebody else's making.
const (
	boxProgram = "/run/box/program"
	boxOrders  = "/run/box/orders"
)

// enterBox is the life of the first process where gVisor or a container engine built the
// world: it confines itself as the namespaces kind does, with the same limits and the same
// filter, and runs the command. It does not return.
//
// Under an engine it reports by a pipe, and ends when another one does; gVisor is watched
// over from outside, and hands on what it ends with.
func enterBox() {
	var say io.Writer = io.Discard
	if pipe, err := os.OpenFile(boxReport, os.O_WRONLY|unix.O_CLOEXEC, 0); err == nil {
		say = pipe
	}
	if pipe, err := os.OpenFile(boxLife, os.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0); err == nil {
		go func() {
			io.Copy(io.Discard, pipe) //nolint:errcheck // any end is the end
			syscall.Exit(codeKilled)
		}()
	}
	code, err := obey(json.NewEncoder(say))
	if err != nil {
		fmt.Fprintf(os.Stderr, "sandbox: %v\n", err)
		code = codeSetup
	}
	syscall.Exit(code)
}

func obey(say *json.Encoder) (int, error) {
	file, err := os.Open(boxOrders)
	if err != nil {
		return 0, err
	}
	var o orders
	err = gob.NewDecoder(file).Decode(&o)
	file.Close()
	if err != nil {
		return 0, fmt.Errorf("orders: %w", err)
	}
	if path := os.Getenv("PATH"); o.ImagePath && path != "" {
		o.Env = append(slices.DeleteFunc(o.Env, func(kv string) bool { return strings.HasPrefix(kv, "PATH=") }), "PATH="+path)
	}
	if err := confine(o); err != nil {
		return 0, err
	}
	signal.Notify(make(chan os.Signal, 1)) // whatever commands send us is dropped, and not inherited as ignored
	say.Encode(report{Started: true})      //nolint:errcheck // there is nobody else to tell
	if o.Memory > 0 {
		go watch(context.Background(), func() usage { return treeUse(os.Getpid()) }, &job{limits: Limits{Memory: o.Memory}}, func(why error) {
			say.Encode(report{Reason: why.Error()}) //nolint:errcheck // likewise
			syscall.Exit(codeKilled)
		})
	}
	code, err := runCommand(o)
	if err != nil {
		return 0, err
	}
	r := report{Code: code}
	if code == codeKilled && outOfMemory() {
		r.Reason = "memory" // the engine's limit, which is above ours, was reached before we looked
	}
	say.Encode(r) //nolint:errcheck // likewise
	return code, nil
}

// outOfMemory reports whether the kernel killed somebody here for the memory's sake.
func outOfMemory() bool {
	for _, file := range []string{"/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control"} {
		text, _ := os.ReadFile(file)
		for line := range strings.Lines(string(text)) {
			if n, ok := strings.CutPrefix(strings.TrimSpace(line), "oom_kill "); ok && n != "0" {
				return true
			}
		}
	}
	return false
}

// forInside is what of the orders the program has to know inside. Where things are on the
// machine is not in it.
func (o orders) forInside() orders {
	o.Sources, o.Drop, o.Runsc = nil, false, ""
	var binds []bind
	for _, b := range o.Layout.Binds {
		if b.Writable {
			binds = append(binds, bind{Inside: b.Inside, Writable: true})
		}
	}
	o.Layout = layout{Binds: binds}
	return o
}

// write writes the orders for boxOrders.
func (o orders) write(w io.Writer) error { return gob.NewEncoder(w).Encode(o) }

// withProgram shows the program itself. The probes' file is the same one.
func (l layout) withProgram() (layout, error) {
	self, err := os.Executable()
	if err == nil {
		self, err = filepath.EvalSymlinks(self)
	}
	if err != nil {
		return l, fmt.Errorf("sandbox: this program's own file, which has to be shown: %w", err)
	}
	l.Binds = append(slices.Clone(l.Binds), bind{Host: self, Inside: boxProgram})
	var files []insideFile
	for _, f := range l.Files {
		if f.source != nil {
			l.Binds = append(l.Binds, bind{Host: self, Inside: f.Inside})
			continue
		}
		files = append(files, f)
	}
	l.Files = files
	return l, nil
}

// withCopy shows a copy of the program, for callers who cannot get to its file.
func (l layout) withCopy(self *os.File) layout {
	l.Files = append(slices.Clone(l.Files), insideFile{Inside: boxProgram, Mode: 0o555, source: self})
	return l
}
