package bubblewrap

import (
	"encoding/gob"
	"fmt"
	"os"
	"path"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/rootfs"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user"
)

// reachMarker is the argument that makes this program run mountHostsAndExecBwrap.
const reachMarker = "bobbin-sandbox-reach"

// reachOrders are the paths to mount, and the program to become.
type reachOrders struct {
	Hosts []string
	Path  string
	Args  []string
}

// stagedHostPath returns the path at which bwrap finds host number i.
func stagedHostPath(i int) string { return rootfs.StagedPath(path.Join("/bobbin", strconv.Itoa(i))) }

// mountHostsAndExecBwrap runs as root in a new mount name space, if bwrap as the commands' user could not enter the
// directories above the paths to mount, for example root's home. It mounts each path where that user can
// reach it, gives up root, and becomes bwrap.
func mountHostsAndExecBwrap() {
	if err := becomeBwrap(); err != nil {
		fmt.Fprintf(os.Stderr, "sandbox: %v\n", err)
	}
	os.Exit(1)
}

func becomeBwrap() error {
	var o reachOrders
	stream := os.NewFile(bwrapOrders, "orders")
	if err := gob.NewDecoder(stream).Decode(&o); err != nil {
		return fmt.Errorf("orders: %w", err)
	}
	stream.Close()
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	var binds []backend.Bind
	for i, host := range o.Hosts {
		binds = append(binds, backend.Bind{Host: host, Inside: path.Join("/bobbin", strconv.Itoa(i)), Writable: true})
	}
	trees, err := rootfs.OpenTrees(backend.Layout{Binds: binds})
	if err != nil {
		return err
	}
	root, err := rootfs.NewRoot("mode=0755,size=1m")
	if err != nil {
		return err
	}
	if err := root.AttachTrees(trees.Binds); err != nil {
		return err
	}
	if err := user.BecomeUser(user.OutsideID, user.OutsideID); err != nil {
		return err
	}
	// The change of the user has cleared the parent-death signal.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("parent death signal: %w", err)
	}
	return unix.Exec(o.Path, o.Args, nil)
}

// init runs mountHostsAndExecBwrap if this process was started for that, and then does not return.
func init() {
	if len(os.Args) == 1 && os.Args[0] == reachMarker {
		runtime.LockOSThread()
		mountHostsAndExecBwrap()
	}
}
