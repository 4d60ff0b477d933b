package replicas

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/harness"
)

// The addresses on the bridge. The shared services have two, so that Postgres alone can be made unreachable;
// replicaAddress has those of the replicas.
const (
	servicesAddress = "10.77.0.1"
	databaseAddress = "10.77.0.2"
	network         = "10.77.0.0/24"
)

func replicaAddress(n int) string { return fmt.Sprintf("10.77.0.%d", 11+n) }

// programVariable is the environment variable that tells the test process in the network namespace the path
// of the built program.
const programVariable = "BOBBIN_REPLICAS_PROGRAM"

// ownNetwork starts the test again in a child process with its own network namespace, waits for the child and
// returns false; if the child fails, the test fails. In the child it makes the bridge and returns the path of
// the built program and true.
func ownNetwork(t *testing.T) (program string, inside bool) {
	t.Helper()
	if program = os.Getenv(programVariable); program != "" {
		for _, args := range []string{
			"link set lo up", "link add name bridge0 type bridge", "link set bridge0 up",
			"addr add " + servicesAddress + "/24 dev bridge0",
			"addr add " + databaseAddress + "/24 dev bridge0",
		} {
			ip(t, args)
		}
		return program, true
	}
	if os.Getuid() != 0 { // only root may make a bridge between namespaces
		t.Skip("network namespaces need root")
	}
	if _, err := exec.LookPath("ip"); err != nil { // no other test needs ip, so make deps does not install it
		t.Skip("no ip command: it is in Debian's package iproute2")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=1h")
	cmd.Env = append(os.Environ(), programVariable+"="+harness.Program(t))
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	out := &logged{t: t}
	cmd.Stdout = out
	cmd.Stderr = out
	if err := cmd.Start(); err != nil {
		// in a container, for example; package kills tests replicas without namespaces
		t.Skip("no network namespace can be made: ", err)
	}
	require.NoError(t, cmd.Wait())
	return "", false
}

// logged writes a process's output to the test's log, line by line.
type logged struct{ t *testing.T }

func (l *logged) Write(b []byte) (int, error) {
	for line := range strings.Lines(string(b)) {
		l.t.Log(strings.TrimRight(line, "\n"))
	}
	return len(b), nil
}

func ip(t *testing.T, args string) {
	t.Helper()
	out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput()
	require.NoError(t, err, "ip %s: %s", args, out)
}

// A machine is a network namespace with one link, which leads to the bridge.
type machine struct {
	t    *testing.T
	n    int
	file *os.File // the namespace, which exists until its last user is gone
}

// newMachine makes machine n.
func newMachine(t *testing.T, n int) *machine {
	t.Helper()
	m := &machine{t: t, n: n}
	require.NoError(t, inNamespace(nil, func() (err error) {
		if err = unix.Unshare(unix.CLONE_NEWNET); err == nil {
			m.file, err = os.Open("/proc/thread-self/ns/net")
		}
		return err
	}))
	link := m.link()
	ip(t, "link add name "+link+" type veth peer name "+link+"p")
	ip(t, fmt.Sprintf("link set %sp netns /proc/%d/fd/%d", link, os.Getpid(), m.file.Fd()))
	ip(t, "link set "+link+" master bridge0 up")
	m.ip("link set lo up")
	m.ip("link set " + link + "p name eth0")
	m.ip("addr add " + replicaAddress(n) + "/24 dev eth0")
	m.ip("link set eth0 up")
	t.Cleanup(func() {
		ip(t, "link del "+link)
		m.file.Close()
	})
	return m
}

// link returns the name of the link's end at the bridge.
func (m *machine) link() string { return fmt.Sprint("machine", m.n) }

// ip runs the command ip in the machine's namespace.
func (m *machine) ip(args string) {
	m.t.Helper()
	require.NoError(m.t, inNamespace(m.file, func() error {
		if out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", args, err, out)
		}
		return nil
	}))
}

// start starts a program in the machine's namespace.
func (m *machine) start(cmd *exec.Cmd) error { return inNamespace(m.file, cmd.Start) }

// inNamespace calls do on a thread in a network namespace, or, if ns is nil, in that of the process. It
// returns the thread to its original namespace.
func inNamespace(ns *os.File, do func() error) error {
	runtime.LockOSThread()
	own, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return err
	}
	defer own.Close()
	defer func() {
		// A thread that cannot return stays locked, and ends with its goroutine.
		if unix.Setns(int(own.Fd()), unix.CLONE_NEWNET) == nil {
			runtime.UnlockOSThread()
		}
	}()
	if ns != nil {
		if err := unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET); err != nil {
			return err
		}
	}
	return do()
}
