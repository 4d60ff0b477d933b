package initproc

import (
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/lockdown"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/process"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/rootfs"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user"
)

// Run runs the first process: it builds the sandbox, confines itself, runs the command and exits without
// returning. It exits with the system call, because nothing has to be flushed and the race detector would
// delay os.Exit by a second.
func Run(build, confine func(Orders) error, run func(Orders) (int, error)) {
	say := json.NewEncoder(os.NewFile(fdReport, "report"))
	fail := func(err error) {
		say.Encode(Report{Error: err.Error()}) //nolint:errcheck // there is nobody else to tell
		syscall.Exit(1)
	}
	var o Orders
	stream := os.NewFile(fdOrders, "orders")
	if err := gob.NewDecoder(stream).Decode(&o); err != nil {
		syscall.Exit(1) // the process that started this one is gone
	}
	go func() { // Pdeathsig, which is set below, does the same at once; this check cannot lose a race
		io.Copy(io.Discard, stream) //nolint:errcheck // any end is the end
		syscall.Exit(1)
	}()
	if err := build(o); err != nil {
		fail(err)
	}
	if err := confine(o); err != nil {
		fail(err)
	}
	signal.Notify(make(chan os.Signal, 1)) // signals from commands are dropped, and not inherited as ignored
	say.Encode(Report{Started: true})      //nolint:errcheck // there is nobody else to tell
	code, err := run(o)
	if err != nil {
		fail(err)
	}
	say.Encode(Report{Code: code}) //nolint:errcheck // there is nobody else to tell
	syscall.Exit(0)                // the kernel kills all other processes inside
}

// ConfineCommand confines this process and the command that it will run, as the orders say.
func ConfineCommand(o Orders) error {
	var writable []string
	for _, b := range o.Layout.Binds {
		if b.Writable {
			writable = append(writable, b.Inside)
		}
	}
	return lockdown.Apply(lockdown.Rules{Writable: writable, FileSize: o.FileSize, Processes: o.Processes, Seconds: o.Seconds})
}

// GatherTrees opens everything that is to be shown while this process still has the caller's rights to reach
// it. Then it gives up these rights.
func GatherTrees(o Orders) (rootfs.Trees, error) {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return rootfs.Trees{}, fmt.Errorf("make mounts private: %w", err)
	}
	opened, err := rootfs.OpenTrees(o.Layout)
	if err != nil {
		return rootfs.Trees{}, err
	}
	if o.Drop {
		if err := user.BecomeUser(user.InsideID, user.InsideID); err != nil {
			return rootfs.Trees{}, err
		}
	}
	// The change of the user has cleared the parent-death signal.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return rootfs.Trees{}, fmt.Errorf("parent death signal: %w", err)
	}
	if err := unix.Sethostname([]byte("box")); err != nil {
		return rootfs.Trees{}, fmt.Errorf("host name: %w", err)
	}
	return opened, nil
}

// StartLoopback brings up the loopback interface of the new network, for tests that connect to themselves.
func StartLoopback() error {
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

// RunCommand runs the command and collects orphans until the command ends.
func RunCommand(o Orders) (int, error) {
	process.CloseOnExec(3)
	if err := backend.WriteHomeFiles(backend.Home); err != nil {
		return 0, fmt.Errorf("write the home: %w", err)
	}
	pid, err := startCommand(o)
	if err != nil {
		fmt.Fprintf(os.Stderr, "sandbox: %v\n", err) // a mistake of the caller, reported like in a shell
		return backend.NotStartedCode(err), nil
	}
	return CollectOrphans(pid)
}

// CollectOrphans releases this process's streams, waits for the process pid and for all orphans that end
// before it, and returns the exit code of pid.
func CollectOrphans(pid int) (int, error) {
	if null, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0); err == nil {
		for fd := range 3 { // the streams must end with the command, and must get no output of this process
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

func startCommand(o Orders) (int, error) {
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
