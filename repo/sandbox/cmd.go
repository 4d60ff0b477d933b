package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/bridge"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/process"
)

// A Cmd is a command that runs once.
type Cmd struct {
	Args      []string
	Env       []string // added to the clean environment; later entries win
	Workspace string   // directory of this machine, mounted at /src
	ReadOnly  bool     // the workspace is mounted read-only
	Dir       string   // working directory, relative to the workspace
	Mounts    []Mount
	Stdin     io.Reader // nil: empty input
	Stdout    io.Writer // nil: discarded; may be the same as Stderr
	Stderr    io.Writer
	Limits    Limits
	// ProxySocket is a unix socket of this machine on which an HTTP proxy listens. It is the command's only
	// access to a network, by HTTP_PROXY and HTTPS_PROXY. If it is empty, the command has none.
	ProxySocket string

	// KillOne lets the rest of the command go on when the memory runs out: the kernel kills the largest
	// process, and Used counts it. That needs a control group; without one the whole command is ended.
	KillOne bool
	// Used is set by Run: what the command needed.
	Used Used

	sandbox *Sandbox
	files   []backend.File // files that are made for the command; used by the probes
}

// Used is what a command needed at its peak, measured twenty times a second: a shorter peak may be missed.
// Memory and Processes are zero for the kind docker, whose engine does not tell.
type Used struct {
	Memory    int64 // bytes, of all processes together
	Processes int   // including threads
	// Killed is the number of processes that the kernel killed because the command needed more memory than
	// its limit.
	Killed int
}

// maxKilled is how many processes the kernel may kill for their memory until the whole command is ended.
const maxKilled = 20

// An ExitError is the error of a command that did not end with code 0.
type ExitError struct {
	// 128 + n after signal n
	Code int
	// why it was ended: time, memory, output, processes, disk, files, or killed (not by this
	// program); "" if it ended by itself
	Reason string
	// the exceeded limit if Reason is memory, output, disk (bytes) or files
	Limit int64
}

// Error returns the code and the reason in one line.
func (e *ExitError) Error() string {
	if e.Reason == "" {
		return fmt.Sprintf("exit status %d", e.Code)
	}
	return fmt.Sprintf("exit status %d (%s)", e.Code, e.Reason)
}

// Run runs the command and returns when all its processes are dead. It returns nil, an *ExitError, the error
// of ctx if ctx ended the command, or another error if the sandbox itself failed.
func (c *Cmd) Run(ctx context.Context) error {
	if err := c.findMistake(); err != nil {
		return err
	}
	var err error
	process.OnNewThread(func() { err = c.runOnThread(ctx) })
	if c.sandbox.ended != nil {
		c.sandbox.ended(howEnded(err))
	}
	return err
}

// howEnded returns the word for Config.Ended.
func howEnded(err error) string {
	var exit *ExitError
	switch {
	case err == nil:
		return "ok"
	case !errors.As(err, &exit):
		return "error"
	}
	return cmp.Or(exit.Reason, "exit")
}

// findMistake returns an error if the command is invalid, before anything is started.
func (c *Cmd) findMistake() error {
	switch {
	case c.sandbox == nil:
		return errors.New("sandbox: the command was not made by Sandbox.Command")
	case len(c.Args) == 0 || c.Args[0] == "":
		return errors.New("sandbox: there is no command to run")
	case c.Dir != "" && !filepath.IsLocal(c.Dir):
		return fmt.Errorf("sandbox: directory %q is not inside the workspace", c.Dir)
	}
	if c.ProxySocket != "" && !filepath.IsAbs(c.ProxySocket) {
		return fmt.Errorf("sandbox: the way out %q has to be absolute", c.ProxySocket)
	}
	for _, s := range append(append([]string{c.Workspace, c.Dir, c.ProxySocket}, c.Args...), c.Env...) {
		if strings.ContainsRune(s, 0) {
			return fmt.Errorf("sandbox: %q contains a zero byte", s)
		}
	}
	for _, m := range c.Mounts {
		if !filepath.IsAbs(m.Host) || !path.IsAbs(m.Inside) || path.Clean(m.Inside) == "/" {
			return fmt.Errorf("sandbox: mount %s at %s: both have to be absolute, and not the root",
				m.Host, m.Inside)
		}
	}
	if info, err := os.Stat(c.Workspace); err != nil {
		return fmt.Errorf("sandbox: workspace: %w", err)
	} else if !info.IsDir() {
		return fmt.Errorf("sandbox: workspace %s is not a directory", c.Workspace)
	}
	return nil
}

// withBridge returns the command to run, and a function that releases its files. A command with a ProxySocket
// is started by package bridge of this program, which runs inside with the same confinement as the command.
func (c *Cmd) withBridge() (*Cmd, func(), error) {
	if c.ProxySocket == "" {
		return c, func() {}, nil
	}
	with := *c
	if c.sandbox.kind == KindNone { // this kind mounts nothing
		self, err := os.Executable()
		if _, lacks := os.Stat("/proc/self/exe"); lacks == nil {
			// also works for users who cannot reach the program's file
			self = "/proc/self/exe"
		}
		with.Args = append([]string{self, bridge.Marker, c.ProxySocket}, c.Args...)
		return &with, func() {}, err
	}
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return nil, nil, fmt.Errorf("sandbox: %w", err)
	}
	with.Args = append([]string{bridge.ProgramPath, bridge.Marker, bridge.SocketPath}, c.Args...)
	with.Mounts = append(slices.Clone(c.Mounts), Mount{Host: c.ProxySocket, Inside: bridge.SocketPath})
	with.files = append(slices.Clone(c.files), backend.ProgramFile(bridge.ProgramPath, self))
	return &with, func() { self.Close() }, nil
}

// Types of package backend that are part of this package's API.
type (
	// A Mount makes a file or directory of this machine visible to a command.
	Mount = backend.Mount
	// Limits are the limits of a command; zero fields have defaults.
	Limits = backend.Limits
	// Unavailable is the error of a kind that does not work on this machine.
	Unavailable = backend.Unavailable
)
