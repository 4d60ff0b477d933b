package backend

import (
	"cmp"
	"os"
	"runtime"
	"syscall"
	"time"
)

// A Mount makes a file or directory of this machine visible to a command.
type Mount struct {
	Host     string // absolute
	Inside   string // absolute; missing directories are created
	Writable bool
}

// Limits are the limits of a command. A zero field means the default that its comment names.
type Limits struct {
	Time      time.Duration // from start to end; default 120 s
	Memory    int64         // bytes, of all processes together; default 2 GiB
	Processes int           // including threads; default 512
	FileSize  int64         // bytes of each file; default 1 GiB
	Output    int64         // bytes of stdout and of stderr each; default 64 MiB
	Disk      int64         // bytes written to the workspace and to writable mounts; default 4 GiB
	Files     int64         // files and folders created there; default 500,000
}

// WithDefaults returns the limits with defaults for the zero fields.
func (l Limits) WithDefaults() Limits {
	return Limits{
		Time: cmp.Or(l.Time, 120*time.Second), Memory: cmp.Or(l.Memory, 2<<30), Processes: cmp.Or(l.Processes, 512),
		FileSize: cmp.Or(l.FileSize, 1<<30), Output: cmp.Or(l.Output, 64<<20),
		Disk: cmp.Or(l.Disk, 4<<30), Files: cmp.Or(l.Files, 500_000),
	}
}

// CPUSeconds returns the limit on processor time for one process: what all processors can deliver within
// Time. It is a second limit besides the clock.
func (l Limits) CPUSeconds() int64 {
	return int64(l.Time/time.Second+1) * int64(runtime.NumCPU())
}

// OpenFiles is the maximum number of open file descriptors of a process.
const OpenFiles = 4096

// A Job is a command with all defaults filled in.
type Job struct {
	Args     []string
	Env      []string // the complete environment
	SetsPath bool     // the caller has set PATH in Env
	Dir      string   // working directory inside
	Limits   Limits   // without zero fields

	Workspace  string // absolute, mounted at /src
	ReadOnly   bool   // the workspace is mounted read-only
	Toolchains []string
	Mounts     []Mount
	Files      []File

	Stdin, Stdout, Stderr *os.File

	// PlaceIn makes a process start in the control groups of the job. Kinds whose processes are children of
	// this program call it.
	PlaceIn func(*syscall.SysProcAttr)
}
