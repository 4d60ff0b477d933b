package backend

import (
	"cmp"
	"os"
	"runtime"
	"syscall"
	"time"
)

// A Mount shows a file or directory of the machine to a command.
type Mount struct {
	Host     string // absolute
	Inside   string // absolute; missing directories are made
	Writable bool
}

// Limits bound a command. Zero fields have the defaults given beside them.
type Limits struct {
	Time      time.Duration // 120 s from start to end
	Memory    int64         // 2 GiB in all its processes together
	Processes int           // 512, threads included
	FileSize  int64         // 1 GiB a file
	Output    int64         // 64 MiB on each of stdout and stderr
	Disk      int64         // 4 GiB written to the workspace and writable mounts together
	Files     int64         // 500,000 files and folders made there
}

// WithDefaults fills in the zero fields.
func (l Limits) WithDefaults() Limits {
	return Limits{
		Time: cmp.Or(l.Time, 120*time.Second), Memory: cmp.Or(l.Memory, 2<<30), Processes: cmp.Or(l.Processes, 512),
		FileSize: cmp.Or(l.FileSize, 1<<30), Output: cmp.Or(l.Output, 64<<20),
		Disk: cmp.Or(l.Disk, 4<<30), Files: cmp.Or(l.Files, 500_000),
	}
}

// CPUSeconds is how much processor time one process may take: what all processors can
// give in the time allowed. It is the brake behind the clock.
func (l Limits) CPUSeconds() int64 {
	return int64(l.Time/time.Second+1) * int64(runtime.NumCPU())
}

// OpenFiles is how many descriptors a process may have.
const OpenFiles = 4096

// A Job is a command with everything that is decided before it starts.
type Job struct {
	Args     []string
	Env      []string // all of it
	SetsPath bool     // the caller chose the PATH in Env
	Dir      string   // where the command starts, inside
	Limits   Limits   // without zero fields

	Workspace  string // absolute, shown at /src
	ReadOnly   bool   // the workspace may not be written
	Toolchains []string
	Mounts     []Mount
	Files      []File

	Stdin, Stdout, Stderr *os.File

	// PlaceIn has a process start in the job's control groups. The kinds whose processes are
	// children of this program call it.
	PlaceIn func(*syscall.SysProcAttr)
}
