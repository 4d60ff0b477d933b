package sandbox

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"sync"
)

// bridgeMarker is the argument that tells Main to connect a command with its way out.
const bridgeMarker = "bobbin-sandbox-bridge"

// Where the program and the socket are, inside.
const (
	bridgeFile   = "/run/bridge"
	bridgeSocket = "/run/way-out"
)

// bridged is the command as it is run: one with a way out is started by this program, which
// stands inside as any other command does, and can do no more than that.
func (c *Cmd) bridged() (*Cmd, func(), error) {
	if c.WayOut == "" {
		return c, func() {}, nil
	}
	with := *c
	if c.sandbox.kind == KindNone { // nothing is mounted there
		self, err := os.Executable()
		if _, lacks := os.Stat("/proc/self/exe"); lacks == nil { // which also those may run who cannot get to the file
			self = "/proc/self/exe"
		}
		with.Args = append([]string{self, bridgeMarker, c.WayOut}, c.Args...)
		return &with, func() {}, err
	}
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return nil, nil, fmt.Errorf("sandbox: %w", err)
	}
	with.Args = append([]string{bridgeFile, bridgeMarker, bridgeSocket}, c.Args...)
	with.Mounts = append(slices.Clone(c.Mounts), Mount{Host: c.WayOut, Inside: bridgeSocket})
	with.files = append(slices.Clone(c.files), insideFile{Inside: bridgeFile, Mode: 0o555, source: self})
	return &with, func() { self.Close() }, nil
}

// bridgeIfAsked is the life of that first process; it does not return then.
func bridgeIfAsked() {
	if len(os.Args) < 4 || os.Args[1] != bridgeMarker {
		return
	}
	code, err := bridge(os.Args[2], os.Args[3:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "sandbox: %v\n", err)
	}
	os.Exit(code)
}

// bridge runs the command beside a port of the sandbox's own loopback, each connection to
// which goes on to the socket.
func bridge(socket string, args []string) (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 126, err
	}
	go func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			go carry(near, socket)
		}
	}()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), proxyEnv("http://"+l.Addr().String())...)
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return outcomeOf(exit.ProcessState).Code, nil
	}
	if err != nil {
		return notStarted(err), err
	}
	return 0, nil
}

// proxyEnv is how programs are told: some read one way of writing it, some the other.
func proxyEnv(address string) (env []string) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"} {
		env = append(env, name+"="+address)
	}
	return append(env, "NO_PROXY=", "no_proxy=")
}

// carry passes a connection's bytes both ways.
func carry(near net.Conn, socket string) {
	defer near.Close()
	far, err := net.Dial("unix", socket)
	if err != nil {
		return
	}
	defer far.Close()
	var both sync.WaitGroup
	pass := func(to, from net.Conn) {
		io.Copy(to, from) //nolint:errcheck // any end is the end
		if half, ok := to.(interface{ CloseWrite() error }); ok {
			half.CloseWrite() //nolint:errcheck // it may be gone
		}
	}
	both.Go(func() { pass(far, near) })
	both.Go(func() { pass(near, far) })
	both.Wait()
}
