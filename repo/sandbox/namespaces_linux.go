package sandbox

import (
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// insideMarker is the argument that tells Main what it is.
const insideMarker = "bobbin-sandbox-inside"

// Descriptors of the first process inside, after its three streams.
const (
	fdOrders = 3 + iota // it reads its orders here; the end of the stream is our death
	fdReport            // it writes its report here
	fdFirst             // files to copy in
)

// namespaces is the built-in kind: the program executes itself as the first process of
// new name spaces, which builds the file system, confines itself for good and then runs
// the command as its only child.
type namespaces struct{}

// orders are what the first process inside is told. They are written with gob, since
// arguments and paths may hold any bytes.
type orders struct {
	Layout    layout
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

// report is what the first process inside says: that the command starts, and how it
// ended; or what of ours failed.
type report struct {
	Error   string `json:",omitempty"`
	Started bool   `json:",omitempty"`
	End     bool   `json:",omitempty"` // nothing comes after it
	Reason  string `json:",omitempty"` // why the command was ended
	Code    int
}

func (namespaces) describe() string {
	uid, _ := outsideUser()
	return fmt.Sprintf("namespaces, uid %d, %s, seccomp, no network", uid, landlockVersion())
}

func (namespaces) world() world { return world{User: insideID} }

func (namespaces) start(j *job) (process, error) {
	o, sources := j.orders(j.layout())
	return startFirst(j, insideMarker, o, sources, newSpacesAttr())
}

// startFirst starts this program as the first process of new name spaces.
func startFirst(j *job, marker string, o orders, sources []*os.File, attr *syscall.SysProcAttr) (*confined, error) {
	p := &confined{}
	theirs, err := p.pipes()
	defer closeAll(theirs)
	if err != nil {
		return nil, err
	}
	p.cmd = &exec.Cmd{
		Path: "/proc/self/exe", Args: []string{marker}, Env: []string{}, Dir: "/",
		Stdin: j.stdio.in, Stdout: j.stdio.out, Stderr: j.stdio.err,
		ExtraFiles: append(theirs, sources...), SysProcAttr: attr,
	}
	j.group.placeIn(p.cmd.SysProcAttr)
	closeOnExec(3)
	if err := startMapped(p.cmd); err != nil {
		p.close()
		return nil, fmt.Errorf("sandbox: new name spaces: %w", err)
	}
	if err := gob.NewEncoder(p.orders).Encode(o); err != nil && !errors.Is(err, syscall.EPIPE) {
		p.kill()
		return nil, fmt.Errorf("sandbox: %w", err)
	}
	return p, nil
}

// opening is held while this process is open to others of its user. It is about the
// process, of which there is one.
var opening sync.Mutex

// startMapped starts a process in a user name space of its own. A process that is not
// dumpable, as the bot makes itself, may not write its children's map of users where it
// is not root: it is dumpable for as long as that takes.
func startMapped(cmd *exec.Cmd) error {
	opening.Lock()
	defer opening.Unlock()
	if was, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0); err == nil && was != 1 {
		if err := unix.Prctl(unix.PR_SET_DUMPABLE, 1, 0, 0, 0); err != nil {
			return err
		}
		defer func() { _ = unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0) }()
	}
	return cmd.Start()
}

// orders writes down the job, with the open files that have to come along.
func (j *job) orders(l layout) (orders, []*os.File) {
	o := orders{
		Layout: l, Drop: asRoot(), Args: j.cmd.Args, Env: j.env, Dir: j.dir(),
		FileSize: j.limits.FileSize, Processes: j.limits.Processes, Seconds: j.limits.cpuSeconds(),
	}
	var sources []*os.File
	for _, f := range o.Layout.Files {
		fd := 0
		if f.source != nil {
			fd = fdFirst + len(sources)
			sources = append(sources, f.source)
		}
		o.Sources = append(o.Sources, fd)
	}
	return o, sources
}

// newSpacesAttr starts a process in name spaces of its own. It has the capabilities that
// it needs to build there, over nothing but these name spaces.
func newSpacesAttr() *syscall.SysProcAttr {
	uid, gid := outsideUser()
	a := &syscall.SysProcAttr{
		Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET |
			unix.CLONE_NEWIPC | unix.CLONE_NEWUTS | unix.CLONE_NEWCGROUP,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: insideID, HostID: uid, Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: insideID, HostID: gid, Size: 1}},
		AmbientCaps: []uintptr{unix.CAP_DAC_OVERRIDE, unix.CAP_SETGID, unix.CAP_SETUID, unix.CAP_SETPCAP, unix.CAP_NET_ADMIN, unix.CAP_SYS_ADMIN},
		Setsid:      true,
		// root has groups to give up; for others the kernel wants that forbidden
		GidMappingsEnableSetgroups: asRoot(),
	}
	dieWithParent(a)
	return a
}

// confined is the first process inside.
type confined struct {
	cmd    *exec.Cmd
	orders *os.File // held open for as long as we live
	report *os.File
}

// pipes opens the two pipes and returns the ends for the process.
func (p *confined) pipes() (theirs []*os.File, err error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	p.orders = write
	back, say, err := os.Pipe()
	if err != nil {
		p.close()
		return []*os.File{read}, err
	}
	p.report = back
	return []*os.File{read, say}, nil
}

func (p *confined) close() { closeAll([]*os.File{p.orders, p.report}) }

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

func (p *confined) pid() int { return p.cmd.Process.Pid }

func (p *confined) use() usage { return treeUse(p.pid()) }

// kill ends the first process, and with it, by the kernel's doing, all others.
func (p *confined) kill() { p.cmd.Process.Kill() } //nolint:errcheck // it may be gone

// wait returns after the kernel has collected every process of the name space.
func (p *confined) wait() (outcome, error) {
	defer p.close()
	err := p.cmd.Wait()
	if p.cmd.ProcessState == nil {
		return outcome{}, err
	}
	return readReport(p.report, p.cmd.ProcessState)
}

// readReport makes an outcome of what the first process said before it died.
func readReport(r *os.File, state *os.ProcessState) (outcome, error) {
	decoder := json.NewDecoder(r)
	var first, last report
	if err := decoder.Decode(&first); err != nil {
		if state.Exited() {
			return outcome{}, fmt.Errorf("sandbox: the first process inside ended before the command began: %s", state)
		}
		return outcome{Code: codeKilled, Killed: true}, nil
	}
	if err := decoder.Decode(&last); err != nil && first.Started {
		return outcome{Code: codeKilled, Killed: true}, nil
	}
	if msg := first.Error + last.Error; msg != "" {
		return outcome{}, errors.New("sandbox: " + msg)
	}
	return outcome{Code: last.Code}, nil
}
