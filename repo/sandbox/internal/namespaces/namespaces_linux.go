package namespaces

import (
	"fmt"
	"os"
	"runtime"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/initproc"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/lockdown"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/rootfs"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user"
)

// marker is the argument that makes this program the first process inside.
const marker = "bobbin-sandbox-inside"

// A namespaces is the backend that needs only the kernel. This program executes itself as the first process
// of new name spaces, where it builds the file system, confines itself and runs the command as its only
// child.
type namespaces struct{}

func Open() backend.Backend { return namespaces{} }

func (namespaces) Describe() string {
	uid, _ := user.CommandUser()
	return fmt.Sprintf("namespaces, uid %d, %s, seccomp, no network", uid, lockdown.DescribeLandlock())
}

func (namespaces) Environment() backend.Environment { return backend.Environment{User: user.InsideID} }

func (namespaces) Remedy(string) string { return "" }

func (namespaces) Start(j *backend.Job) (backend.Process, error) {
	o, sources := initproc.NewOrders(j, backend.NewLayout(j))
	return initproc.Start(j, marker, o, sources, initproc.NewAttributes())
}

// init runs the first process inside if this process was started as such, and then does not return.
func init() {
	if len(os.Args) == 1 && os.Args[0] == marker && os.Getpid() == 1 {
		runtime.LockOSThread()
		initproc.Run(buildRoot, initproc.ConfineCommand, initproc.RunCommand)
	}
}

// buildRoot builds the file system that the command sees.
func buildRoot(o initproc.Orders) error {
	trees, err := initproc.GatherTrees(o)
	if err != nil {
		return err
	}
	if err := initproc.StartLoopback(); err != nil {
		return err
	}
	return rootfs.BuildDefault(o.Layout, o.Sources, trees)
}
