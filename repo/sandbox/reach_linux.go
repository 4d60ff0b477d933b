package sandbox

import (
	"encoding/gob"
	"fmt"
	"os"
	"path"
	"strconv"

	"golang.org/x/sys/unix"
)

// reachMarker is the argument that tells Main that it is on the way to bwrap.
const reachMarker = "bobbin-sandbox-reach"

// reachOrders are what is to be shown, and what to become.
type reachOrders struct {
	Hosts []string
	Path  string
	Args  []string
}

// reached is where host number i can be found by bwrap.
func reached(i int) string { return path.Join(staging, "bobbin", strconv.Itoa(i)) }

// reach is what root executes in a mount name space of its own where bwrap, as the
// commands' user, could not enter the directories above what it has to show: root's home,
// say. It brings each to a place that can be entered, gives up root, and becomes bwrap.
func reach() {
	if err := reachAll(); err != nil {
		fmt.Fprintf(os.Stderr, "sandbox: %v\n", err)
	}
	os.Exit(1)
}

func reachAll() error {
	var o reachOrders
	stream := os.NewFile(bwrapOrders, "orders")
	if err := gob.NewDecoder(stream).Decode(&o); err != nil {
		return fmt.Errorf("orders: %w", err)
	}
	stream.Close()
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make mounts private: %w", err)
	}
	var binds []bind
	for i, host := range o.Hosts {
		binds = append(binds, bind{Host: host, Inside: path.Join("/bobbin", strconv.Itoa(i)), Writable: true})
	}
	trees, err := openTrees(layout{Binds: binds})
	if err != nil {
		return err
	}
	if err := unix.Mount("box", staging, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=0755,size=1m"); err != nil {
		return fmt.Errorf("mount %s: %w", staging, err)
	}
	root, err := os.OpenRoot(staging)
	if err != nil {
		return err
	}
	if err := place(root, trees.binds); err != nil {
		return err
	}
	if err := becomeUser(outsideID, outsideID); err != nil {
		return err
	}
	// Changing users took the parent-death signal away.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("parent death signal: %w", err)
	}
	return unix.Exec(o.Path, o.Args, nil)
}
