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

	"github.com/bobbinhq/bobbin/repo/sandbox/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/bridge"
	"github.com/bobbinhq/bobbin/repo/sandbox/process"
)

// A Cmd is a command to be run once.
type Cmd struct {
	Args      []string
	Env       []string // added to the clean environment; later entries win
	Workspace string   // directory of the machine, shown as /src
	ReadOnly  bool     // the workspace may not be written
	Dir       string   // where the command starts, within the workspace
	Mounts    []Mount
	Stdin     io.Reader // nil: nothing to read
	Stdout    io.Writer // nil: discarded; may be the same as Stderr
	Stderr    io.Writer
	Limits    Limits
	// WayOut is a unix socket of the machine where an HTTP proxy listens: the only way to a
	// network that the command has, by HTTP_PROXY and HTTPS_PROXY. Empty: there is none.
	WayOut string

	sandbox *Sandbox
	files   []backend.File // made for the command, for the probes
}

// An ExitError is returned for a command that did not end with code 0.
type ExitError struct {
	Code   int    // 128 + n after signal n
	Reason string // why we ended it: time, memory, output, processes, disk, files; killed: somebody else did; "" when it ended by itself
	Limit  int64  // that it came to, where Reason is memory, output, disk (bytes) or files
}

// Error is one line.
func (e *ExitError) Error() string {
	if e.Reason == "" {
		return fmt.Sprintf("exit status %d", e.Code)
	}
	return fmt.Sprintf("exit status %d (%s)", e.Code, e.Reason)
}

// Run runs the command and returns when its whole tree of processes is dead: nil, an
// *ExitError, ctx's error when ctx ended it, or an error that says what of ours failed.
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

// howEnded is the word for the end of a command.
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

// findMistake returns what is wrong with the command before anything is started.
func (c *Cmd) findMistake() error {
	switch {
	case c.sandbox == nil:
		return errors.New("sandbox: the command was not made by Sandbox.Command")
	case len(c.Args) == 0 || c.Args[0] == "":
		return errors.New("sandbox: there is no command to run")
	case c.Dir != "" && !filepath.IsLocal(c.Dir):
		return fmt.Errorf("sandbox: directory %q is not inside the workspace", c.Dir)
	}
	if c.WayOut != "" && !filepath.IsAbs(c.WayOut) {
		return fmt.Errorf("sandbox: the way out %q has to be absolute", c.WayOut)
	}
	for _, s := range append(append([]string{c.Workspace, c.Dir, c.WayOut}, c.Args...), c.Env...) {
		if strings.ContainsRune(s, 0) {
			return fmt.Errorf("sandbox: %q contains a zero byte", s)
		}
	}
	for _, m := range c.Mounts {
		if !filepath.IsAbs(m.Host) || !path.IsAbs(m.Inside) || path.Clean(m.Inside) == "/" {
			return fmt.Errorf("sandbox: mount %s at %s: both have to be absolute, and not the root", m.Host, m.Inside)
		}
	}
	if info, err := os.Stat(c.Workspace); err != nil {
		return fmt.Errorf("sandbox: workspace: %w", err)
	} else if !info.IsDir() {
		return fmt.Errorf("sandbox: workspace %s is not a directory", c.Workspace)
	}
	return nil
}

// withBridge is the command as it is run: one with a way out is started by this program, which
// stands inside as any other command does, and can do no more than that.
func (c *Cmd) withBridge() (*Cmd, func(), error) {
	if c.WayOut == "" {
		return c, func() {}, nil
	}
	with := *c
	if c.sandbox.kind == KindNone { // nothing is mounted there
		self, err := os.Executable()
		if _, lacks := os.Stat("/proc/self/exe"); lacks == nil { // which also those may run who cannot get to the file
			self = "/proc/self/exe"
		}
		with.Args = append([]string{self, bridge.Marker, c.WayOut}, c.Args...)
		return &with, func() {}, err
	}
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return nil, nil, fmt.Errorf("sandbox: %w", err)
	}
	with.Args = append([]string{bridge.ProgramPath, bridge.Marker, bridge.SocketPath}, c.Args...)
	with.Mounts = append(slices.Clone(c.Mounts), Mount{Host: c.WayOut, Inside: bridge.SocketPath})
	with.files = append(slices.Clone(c.files), backend.ProgramFile(bridge.ProgramPath, self))
	return &with, func() { self.Close() }, nil
}

// These are parts of the API that kinds share, with their fields described in backend.
type (
	// A Mount shows a file or directory of the machine to a command.
	Mount = backend.Mount
	// Limits bound a command; zero fields have defaults.
	Limits = backend.Limits
	// Unavailable is the error of a kind that does not hold on this machine.
	Unavailable = backend.Unavailable
)
