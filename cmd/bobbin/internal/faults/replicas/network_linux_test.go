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

// What is on the bridge: two addresses of what the replicas share, so that Postgres can be out of
// reach alone, and below them the replicas.
const (
	servicesAddress = "10.77.0.1"
	databaseAddress = "10.77.0.2"
	network         = "10.77.0.0/24"
)

func replicaAddress(n int) string { return fmt.Sprintf("10.77.0.%d", 11+n) }

// programVariable holds the built program in the process that has a network of its own.
const programVariable = "BOBBIN_REPLICAS_PROGRAM"

// ownNetwork runs the test in a process with a network of its own, which goes with it, and
// returns the built program there. Elsewhere it runs that process, and its result is the test's.
func ownNetwork(t *testing.T) (program string, inside bool) {
	t.Helper()
	if program = os.Getenv(programVariable); program != "" {
		for _, args := range []string{
			"link set lo up", "link add name bridge0 type bridge", "link set bridge0 up",
			"addr add " + servicesAddress + "/24 dev bridge0", "addr add " + databaseAddress + "/24 dev bridge0",
		} {
			ip(t, args)
		}
		return program, true
	}
	if os.Getuid() != 0 { // a bridge to namespaces is the machine's: nobody else may make one
		t.Skip("network namespaces need root")
	}
	if _, err := exec.LookPath("ip"); err != nil { // nothing else that we test needs it, so make deps leaves it out
		t.Skip("no ip command: it is in Debian's package iproute2")
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=1h")
	cmd.Env = append(os.Environ(), programVariable+"="+harness.Program(t))
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET, Pdeathsig: syscall.SIGKILL}
	out := &logged{t: t}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil { // as in a container: replicas on one network are tested without it (faults/kills)
		t.Skip("no network namespace can be made: ", err)
	}
	require.NoError(t, cmd.Wait())
	return "", false
}

// logged gives a process's lines to a test's log.
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

// A machine is a network namespace with one link, to the bridge.
type machine struct {
	t    *testing.T
	n    int
	file *os.File // the namespace; it is gone with the last who has it
}

// newMachine makes the nth.
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

// link is the bridge's end of the machine's cable.
func (m *machine) link() string { return fmt.Sprint("machine", m.n) }

// ip changes the machine's own network.
func (m *machine) ip(args string) {
	m.t.Helper()
	require.NoError(m.t, inNamespace(m.file, func() error {
		if out, err := exec.Command("ip", strings.Fields(args)...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", args, err, out)
		}
		return nil
	}))
}

// start starts a program on the machine.
func (m *machine) start(cmd *exec.Cmd) error { return inNamespace(m.file, cmd.Start) }

// inNamespace does something on a thread that is in a network namespace; nil: the process's own,
// to which the thread is back afterwards.
func inNamespace(ns *os.File, do func() error) error {
	runtime.LockOSThread()
	own, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return err
	}
	defer own.Close()
	defer func() {
		// A thread that is not back stays locked, and ends with its goroutine.
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
