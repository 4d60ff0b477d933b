package gvisor

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/initproc"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/lockdown"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/process"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/rootfs"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user"
)

// Paths in the file system of gVisor's own processes, which contains nothing else.
const (
	bundleDir   = "/bundle"
	bundleRoot  = "/bundle/rootfs"
	runscFile   = "/runsc"
	runscState  = "/state"
	runscLog    = "/state/log"
	runscPID    = "/state/pid"
	containerID = "box"
)

// buildBundle builds and enters the file system of gVisor's processes. It contains the OCI bundle: the
// configuration, and a directory with the file system of the commands.
func buildBundle(o initproc.Orders) error {
	below := moveBelow(bundleRoot, o.Layout)
	all := o
	all.Layout = below
	all.Layout.System = append(slices.Clone(below.System), backend.Bind{Host: o.Runsc, Inside: runscFile})
	t, err := initproc.GatherTrees(all)
	if err != nil {
		return err
	}
	root, err := rootfs.NewRoot("mode=0755,size=1g,nr_inodes=10k")
	if err != nil {
		return err
	}
	defer root.Close()
	steps := []func() error{
		func() error { return root.AddLinks(below.Links) },
		func() error { return makeDirectories(root) },
		func() error { return root.AttachTrees(t.Devices) },
		func() error { return root.AttachTrees(t.System) },
		func() error { return root.AttachTrees(t.Binds) },
		func() error { return root.AddFiles(all.Layout.Files, o.Sources) },
		func() error { return writeBundle(root, o) },
		func() error {
			return unix.Mount("proc", rootfs.StagedPath("/proc"), "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "")
		},
		rootfs.EnterRoot,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// moveBelow returns the layout with all inside paths below dir.
func moveBelow(dir string, l backend.Layout) backend.Layout {
	out := backend.Layout{Fill: l.Fill}
	for _, link := range l.Links {
		out.Links = append(out.Links, [2]string{link[0], dir + link[1]})
	}
	move := func(binds []backend.Bind) (moved []backend.Bind) {
		for _, b := range binds {
			b.Inside = dir + b.Inside
			moved = append(moved, b)
		}
		return moved
	}
	out.System, out.Binds = move(l.System), move(l.Binds)
	for _, f := range l.Files {
		f.Inside = dir + f.Inside
		out.Files = append(out.Files, f)
	}
	return out
}

// makeDirectories creates the directories that gVisor needs, including its mount points.
func makeDirectories(root *rootfs.Root) error {
	dirs := []string{"/proc", "/tmp", "/dev", runscState}
	for _, dir := range []string{"/proc", "/dev", "/sys", "/tmp", backend.Home, initproc.GuestDir} {
		dirs = append(dirs, bundleRoot+dir)
	}
	return root.MakeDirectories(dirs...)
}

// writeBundle writes the orders for the command and the configuration of the bundle.
func writeBundle(root *rootfs.Root, o initproc.Orders) error {
	file, err := root.CreateFile(bundleRoot + initproc.GuestOrders)
	if err != nil {
		return fmt.Errorf("write the orders: %w", err)
	}
	defer file.Close()
	if err := o.ForInside().Write(file); err != nil {
		return fmt.Errorf("write the orders: %w", err)
	}
	config, err := root.CreateFile(bundleDir + "/config.json")
	if err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	defer config.Close()
	spec := newSpec(o.Layout, func(inside string) bool { return root.IsDirectory(bundleRoot + inside) })
	if err := json.NewEncoder(config).Encode(spec); err != nil {
		return fmt.Errorf("write the bundle: %w", err)
	}
	return nil
}

// limitRunsc sets the limits of gVisor's own processes. Each process inside is one process outside, with
// threads for the processors that run it.
func limitRunsc(o initproc.Orders) error {
	unix.Umask(0o022)
	return lockdown.LowerLimits(map[int]uint64{
		unix.RLIMIT_CORE:  0,
		unix.RLIMIT_NPROC: uint64(o.Processes*(runtime.NumCPU()+2) + 512),
	})
}

// runRunsc runs gVisor with the bundle until the command ends.
func runRunsc(initproc.Orders) (int, error) {
	process.CloseOnExec(3)
	// gVisor makes each stream non-blocking when it takes it, and trusts the mode in which it then finds the
	// next one. If both are the same pipe, writes to the second would be cut short, so stderr is opened
	// again.
	errs := uintptr(2)
	if again, err := unix.Open("/proc/self/fd/2", unix.O_WRONLY|unix.O_CLOEXEC, 0); err == nil {
		errs = uintptr(again)
		defer unix.Close(again)
	}
	pid, err := syscall.ForkExec(runscFile, []string{
		"runsc", "--root=" + runscState, "--log=" + runscLog, "--log-format=json",
		"--rootless", "--network=none", "--platform=systrap", "--ignore-cgroups", "--overlay2=none", "--host-uds=none",
		"run", "--bundle=" + bundleDir, "--pid-file=" + runscPID, containerID,
	}, &syscall.ProcAttr{Dir: "/", Env: []string{}, Files: []uintptr{0, 1, errs}, Sys: &syscall.SysProcAttr{Setsid: true}})
	if errors.Is(err, syscall.ENOENT) {
		return 0, errors.New("runsc needs libraries to run: use gVisor's own build, which needs none")
	}
	if err != nil {
		return 0, fmt.Errorf("runsc: %w", err)
	}
	code, err := initproc.CollectOrphans(pid)
	if err != nil {
		return 0, err
	}
	if _, err := os.Stat(runscPID); err != nil {
		return 0, fmt.Errorf("runsc: %s", readComplaint(code))
	}
	return code, nil
}

// readComplaint returns the last message in runsc's log, as the reason why it started nothing.
func readComplaint(code int) string {
	text, _ := os.ReadFile(runscLog)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	var last struct{ Msg string }
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &last); err == nil && last.Msg != "" {
		return strings.ReplaceAll(last.Msg, "\n", " ")
	}
	return fmt.Sprintf("it ended with %d and does not say why", code)
}

// A spec is the part of an OCI bundle's configuration that this package uses.
type spec struct {
	Version  string      `json:"ociVersion"`
	Hostname string      `json:"hostname"`
	Root     specRoot    `json:"root"`
	Process  specProcess `json:"process"`
	Mounts   []specMount `json:"mounts"`
	Linux    specLinux   `json:"linux"`
}

type specRoot struct {
	Path     string `json:"path"`
	ReadOnly bool   `json:"readonly"`
}

type specProcess struct {
	User          specUser            `json:"user"`
	Args          []string            `json:"args"`
	Env           []string            `json:"env"`
	Dir           string              `json:"cwd"`
	Capabilities  map[string][]string `json:"capabilities"`
	NoNewPrivs    bool                `json:"noNewPrivileges"`
	ResourceLimit []specLimit         `json:"rlimits"`
}

type specUser struct {
	UID int `json:"uid"`
	GID int `json:"gid"`
}

type specLimit struct {
	Type string `json:"type"`
	Hard uint64 `json:"hard"`
	Soft uint64 `json:"soft"`
}

type specMount struct {
	Destination string   `json:"destination"`
	Type        string   `json:"type"`
	Source      string   `json:"source"`
	Options     []string `json:"options,omitempty"`
}

type specLinux struct {
	Namespaces  []specSpace `json:"namespaces"`
	UIDMappings []specIDs   `json:"uidMappings"`
	GIDMappings []specIDs   `json:"gidMappings"`
}

type specSpace struct {
	Type string `json:"type"`
}

type specIDs struct {
	Container int `json:"containerID"`
	Host      int `json:"hostID"`
	Size      int `json:"size"`
}

// newSpec returns the configuration for the command: gVisor starts this program, without an environment, and
// the program does the rest. isDir reports whether an inside path is a directory.
func newSpec(l backend.Layout, isDir func(inside string) bool) spec {
	ids := []specIDs{{Container: user.InsideID, Host: user.InsideID, Size: 1}}
	s := spec{
		Version: "1.0.0", Hostname: "box", Root: specRoot{Path: bundleRoot, ReadOnly: true},
		Process: specProcess{
			User: specUser{user.InsideID, user.InsideID}, Args: []string{initproc.GuestProgram, initproc.GuestMarker}, Env: []string{}, Dir: "/",
			Capabilities: map[string][]string{}, NoNewPrivs: true,
			ResourceLimit: []specLimit{{Type: "RLIMIT_NOFILE", Hard: backend.OpenFiles, Soft: backend.OpenFiles}},
		},
		Linux: specLinux{UIDMappings: ids, GIDMappings: ids},
	}
	for _, kind := range []string{"user", "pid", "mount", "network", "ipc", "uts"} {
		s.Linux.Namespaces = append(s.Linux.Namespaces, specSpace{kind})
	}
	own := func(at, kind string, options ...string) {
		s.Mounts = append(s.Mounts, specMount{Destination: at, Type: kind, Source: kind, Options: options})
	}
	safe := []string{"nosuid", "nodev"}
	own("/proc", "proc", append([]string{"noexec"}, safe...)...)
	own("/sys", "tmpfs", append([]string{"ro", "size=4096", "mode=0755"}, safe...)...)
	own("/dev/shm", "tmpfs", append([]string{fmt.Sprintf("size=%d", backend.ShmSize), "mode=1777"}, safe...)...)
	own("/tmp", "tmpfs", append([]string{fmt.Sprintf("size=%d", l.Fill), "mode=1777"}, safe...)...)
	own(backend.Home, "tmpfs", append([]string{fmt.Sprintf("size=%d", l.Fill), "mode=0700", fmt.Sprintf("uid=%d", user.InsideID), fmt.Sprintf("gid=%d", user.InsideID)}, safe...)...)
	for _, b := range slices.Concat(l.System, l.Binds) {
		if !b.Writable && !isDir(b.Inside) || strings.HasPrefix(b.Inside, "/etc/") {
			continue // it is part of the root, which is read-only
		}
		how := "ro"
		if b.Writable {
			how = "rw"
		}
		s.Mounts = append(s.Mounts, specMount{
			Destination: b.Inside, Type: "bind", Source: path.Join(bundleRoot, b.Inside), Options: append([]string{"rbind", how}, safe...),
		})
	}
	return s
}
