package sandbox

import (
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Main has to be the first call of every main and TestMain. When this process is the
// first one inside a sandbox it becomes that and never returns; otherwise it does nothing.
func Main() {
	bridgeIfAsked()
	switch {
	case len(os.Args) == 1 && os.Args[0] == insideMarker && os.Getpid() == 1:
		runtime.LockOSThread()
		inside(build, confine, runCommand)
	case len(os.Args) == 1 && os.Args[0] == gvisorMarker && os.Getpid() == 1:
		runtime.LockOSThread()
		inside(buildBundle, limitRunsc, runRunsc)
	case len(os.Args) == 2 && os.Args[1] == enterMarker && os.Getpid() == 1:
		runtime.LockOSThread()
		enterBox()
	case len(os.Args) == 3 && os.Args[1] == probeMarker:
		probeInside(os.Args[2])
		syscall.Exit(0)
	case len(os.Args) == 1 && os.Args[0] == reachMarker:
		runtime.LockOSThread()
		reach()
	}
}

// inside is the life of the first process: it builds, confines itself and runs. It does
// not return. It leaves by the system call: nothing has to be flushed, and the race
// detector would have it linger for a second.
func inside(build, confine func(orders) error, run func(orders) (int, error)) {
	say := json.NewEncoder(os.NewFile(fdReport, "report"))
	fail := func(err error) {
		say.Encode(report{Error: err.Error()}) //nolint:errcheck // there is nobody else to tell
		syscall.Exit(1)
	}
	var o orders
	stream := os.NewFile(fdOrders, "orders")
	if err := gob.NewDecoder(stream).Decode(&o); err != nil {
		syscall.Exit(1) // whoever started us is gone
	}
	go func() { // Pdeathsig below does the same at once; this one no race can lose
		io.Copy(io.Discard, stream) //nolint:errcheck // any end is the end
		syscall.Exit(1)
	}()
	if err := build(o); err != nil {
		fail(err)
	}
	if err := confine(o); err != nil {
		fail(err)
	}
	signal.Notify(make(chan os.Signal, 1)) // whatever commands send us is dropped, and not inherited as ignored
	say.Encode(report{Started: true})      //nolint:errcheck // there is nobody else to tell
	code, err := run(o)
	if err != nil {
		fail(err)
	}
	say.Encode(report{Code: code}) //nolint:errcheck // there is nobody else to tell
	syscall.Exit(0)                // and everything else inside dies
}

// build makes the world that the command sees.
func build(o orders) error {
	trees, err := gather(o)
	if err != nil {
		return err
	}
	if err := loopbackUp(); err != nil {
		return err
	}
	return buildRoot(o, trees)
}

// gather opens everything that is to be shown, as the caller, who can reach all of it, and
// then gives up the caller's identity.
func gather(o orders) (trees, error) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return trees{}, fmt.Errorf("make mounts private: %w", err)
	}
	opened, err := openTrees(o.Layout)
	if err != nil {
		return trees{}, err
	}
	if o.Drop {
		if err := becomeUser(insideID, insideID); err != nil {
			return trees{}, err
		}
	}
	// Changing users took the parent-death signal away.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return trees{}, fmt.Errorf("parent death signal: %w", err)
	}
	if err := unix.Sethostname([]byte("box")); err != nil {
		return trees{}, fmt.Errorf("host name: %w", err)
	}
	return opened, nil
}

// becomeUser gives up the caller's identity for good, on all threads.
func becomeUser(uid, gid int) error {
	if err := syscall.Setgroups(nil); err != nil {
		return fmt.Errorf("give up groups: %w", err)
	}
	if err := syscall.Setresgid(gid, gid, gid); err != nil {
		return fmt.Errorf("become group %d: %w", gid, err)
	}
	if err := syscall.Setresuid(uid, uid, uid); err != nil {
		return fmt.Errorf("become user %d: %w", uid, err)
	}
	return nil
}

// loopbackUp starts the one interface of the new network, for tests that talk to themselves.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	defer unix.Close(fd)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, request); err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	return nil
}

// runCommand runs the command and collects orphans until it ends.
func runCommand(o orders) (int, error) {
	closeOnExec(3)
	pid, err := startCommand(o)
	if err != nil {
		fmt.Fprintf(os.Stderr, "sandbox: %v\n", err) // the caller's mistake, said as a shell would
		return notStarted(err), nil
	}
	return collect(pid)
}

// collect lets go of the streams, and takes in what ends until the process has.
func collect(pid int) (int, error) {
	if null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0); err == nil {
		for fd := range 3 { // the command's streams end with the command, and its bombs make us say nothing
			unix.Dup3(null, fd, 0) //nolint:errcheck // then they end with us
		}
	}
	for {
		var status syscall.WaitStatus
		got, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case err != nil:
			return 0, fmt.Errorf("wait for the command: %w", err)
		case got == pid && status.Signaled():
			return 128 + int(status.Signal()), nil
		case got == pid:
			return status.ExitStatus(), nil
		}
	}
}

func startCommand(o orders) (int, error) {
	if err := os.Chdir(o.Dir); err != nil {
		return 0, err
	}
	os.Clearenv()
	for _, kv := range o.Env {
		for i := range kv {
			if i > 0 && kv[i] == '=' {
				os.Setenv(kv[:i], kv[i+1:]) //nolint:errcheck // checked for zero bytes by Cmd
				break
			}
		}
	}
	path, err := exec.LookPath(o.Args[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return 0, err
	}
	return syscall.ForkExec(path, o.Args, &syscall.ProcAttr{
		Dir: o.Dir, Env: o.Env, Files: []uintptr{0, 1, 2}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
}

// closeOnExec keeps every descriptor from first on out of what is executed from now on:
// what this program inherited was not marked by anybody.
func closeOnExec(first uint) {
	unix.CloseRange(first, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) //nolint:errcheck // kernels before 5.11 lack it; Go marks its own
}
