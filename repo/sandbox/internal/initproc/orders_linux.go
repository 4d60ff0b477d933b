package initproc

import (
	"encoding/gob"
	"io"
	"os"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user"
)

// Descriptors of the first process inside, after its three streams.
const (
	fdOrders = 3 + iota // it reads its orders here; the stream ends when the parent dies
	fdReport            // it writes its reports here
	fdFirst             // first of the files to copy
)

// Orders tell the first process inside what to build and what to run. They are encoded with gob, because
// arguments and paths may contain any bytes.
type Orders struct {
	Layout    backend.Layout
	Sources   []int // for each of Layout.Files: the descriptor to copy from, or 0 if the content is in Data
	Drop      bool  // the process starts as root of the machine and must become the commands' user
	Args      []string
	Env       []string
	Dir       string
	FileSize  int64
	Processes int
	Seconds   int64  // processor time of each process
	Memory    int64  // memory limit of all processes together; for a container only
	Runsc     string // path of runsc on the machine; for gVisor only
	ImagePath bool   // use the PATH of the image
}

// A Report says that the command starts, how it ended, or why it did not start. The first process inside
// writes it.
type Report struct {
	Error   string `json:",omitempty"`
	Started bool   `json:",omitempty"`
	End     bool   `json:",omitempty"` // the last report, which the reader itself appends
	Reason  string `json:",omitempty"` // the limit for which the command was ended
	Code    int
}

// NewOrders returns the orders for a job, and the open files that the process must inherit.
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

// ForInside returns the orders without what the program inside need not know, such as paths on the machine.
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

// Write writes the orders in the form of the file GuestOrders.
func (o Orders) Write(w io.Writer) error { return gob.NewEncoder(w).Encode(o) }
