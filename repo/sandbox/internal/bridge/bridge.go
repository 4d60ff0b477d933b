package bridge

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"sync"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
)

// Marker is the argument that makes this program run a command with the bridge.
const Marker = "bobbin-sandbox-bridge"

// Paths of the program and of the socket inside.
const (
	ProgramPath = "/run/bridge"
	SocketPath  = "/run/way-out"
)

// init runs a command with the bridge if this process was started for that, and then does not return.
func init() {
	if len(os.Args) < 4 || os.Args[1] != Marker {
		return
	}
	code, err := runBridged(os.Args[2], os.Args[3:])
	if err != nil {
		fmt.Fprintf(os.Stderr, "sandbox: %v\n", err)
	}
	os.Exit(code)
}

// runBridged listens on the loopback of the sandbox, forwards each connection to the socket, and runs the
// command with that address as its proxy. It returns the exit code of the command.
func runBridged(socket string, args []string) (int, error) {
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
			go forwardConnection(near, socket)
		}
	}()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), proxyEnv("http://"+l.Addr().String())...)
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return backend.OutcomeOf(exit.ProcessState).Code, nil
	}
	if err != nil {
		return backend.NotStartedCode(err), err
	}
	return 0, nil
}

// proxyEnv returns the variables that set the proxy, in both spellings that programs read.
func proxyEnv(address string) (env []string) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"} {
		env = append(env, name+"="+address)
	}
	return append(env, "NO_PROXY=", "no_proxy=")
}

// forwardConnection copies the bytes of a connection in both directions.
func forwardConnection(near net.Conn, socket string) {
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
