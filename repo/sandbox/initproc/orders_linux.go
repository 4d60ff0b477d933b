package initproc

import (
	"encoding/gob"
	"io"
	"os"

	"github.com/bobbinhq/bobbin/repo/sandbox/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/user"
)

// Descriptors of the first process inside, after its three streams.
const (
	fdOrders = 3 + iota // it reads its orders here; the end of the stream is our death
	fdReport            // it writes its report here
	fdFirst             // files to copy in
)

// Orders tell the first process inside what to build and to run. They are written with gob, since
// arguments and paths may hold any bytes.
type Orders struct {
	Layout    backend.Layout
	Sources   []int // for each of Layout.Files: the descriptor to copy from, 0 for Data
	Drop      bool  // it starts as root of the machine and has to become the commands' user
	Args      []string
	Env       []string
	Dir       string
	FileSize  int64
	Processes int
	Seconds   int64  // of processor time a process
	Memory    int64  // in an engine's container: what its processes may hold together
	Runsc     string // for gVisor: its program on the machine
	ImagePath bool   // the PATH is the image's
}

// A Report tells that the command starts, how it ended, or what failed before it began. The
// first process inside writes them.
type Report struct {
	Error   string `json:",omitempty"`
	Started bool   `json:",omitempty"`
	End     bool   `json:",omitempty"` // nothing comes after it
	Reason  string `json:",omitempty"` // why the command was ended
	Code    int
}

// NewOrders returns the orders for a job, and the open files that have to be handed down.
func NewOrders(j *backend.Job, l backend.Layout) (Orders, []*os.File) {
	o := Orders{
		Layout: l, Drop: user.RunsAsRoot(), Args: j.Args, Env: j.Env, Dir: j.Dir,
		FileSize: j.Limits.FileSize, Processes: j.Limits.Processes, Seconds: j.Limits.CPUSeconds(),
	}
	var sources []*os.File
	for _, f := range o.Layout.Files {
		fd := 0
		if source := f.Source(); source != nil {
			fd = fdFirst + len(sources)
			sources = append(sources, source)
		}
		o.Sources = append(o.Sources, fd)
	}
	return o, sources
}

// ForInside returns the orders without what the program need not know inside, such as where
// things are on the machine.
func (o Orders) ForInside() Orders {
	o.Sources, o.Drop, o.Runsc = nil, false, ""
	var binds []backend.Bind
	for _, b := range o.Layout.Binds {
		if b.Writable {
			binds = append(binds, backend.Bind{Inside: b.Inside, Writable: true})
		}
	}
	o.Layout = backend.Layout{Binds: binds}
	return o
}

// Write writes the orders as the file GuestOrders has them.
func (o Orders) Write(w io.Writer) error { return gob.NewEncoder(w).Encode(o) }
