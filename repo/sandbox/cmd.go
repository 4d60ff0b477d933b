package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// A Mount shows a file or directory of the machine to a command.
type Mount struct {
	Host     string // absolute
	Inside   string // absolute; missing directories are made
	Writable bool
}

// Limits bound a command. Zero fields have the defaults said beside them.
type Limits struct {
	Time      time.Duration // 120 s from start to end
	Memory    int64         // 2 GiB in all its processes together
	Processes int           // 512, threads included
	FileSize  int64         // 1 GiB a file
	Output    int64         // 64 MiB on each of stdout and stderr
	Disk      int64         // 4 GiB written to the workspace and writable mounts together
	Files     int64         // 500,000 files and folders made there
}

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
	files   []insideFile // made for the command, for the probes
}

// ExitError says that a command ended otherwise than with 0.
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

// errSetup says that a command never began; the errors' first lines say why.
var errSetup = errors.New("sandbox: could not be set up")

// codeSetup is what the program ends with inside where it could not confine itself.
const codeSetup = 125

// codeKilled is what a shell says of a command that was killed.
const codeKilled = 128 + 9

// Run runs the command and returns when its whole tree of processes is dead: nil, an
// *ExitError, ctx's error when ctx ended it, or an error that says what of ours failed.
func (c *Cmd) Run(ctx context.Context) error {
	if err := c.check(); err != nil {
		return err
	}
	var err error
	onThread(func() { err = c.run(ctx) })
	return err
}

// onThread calls f on a thread of its own: a command is tied to the thread that starts it,
// which must not end before it does, and which may be in another control group for a
// moment. So it must not be the process's first thread, whose group is the process's.
func onThread(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if isFirstThread() {
			onThread(f) // which gets another one, as long as we hold this
			return
		}
		f()
	}()
	<-done
}

// check finds what is wrong with the command before anything is started.
func (c *Cmd) check() error {
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

// withDefaults fills in the zero fields.
func (l Limits) withDefaults() Limits {
	if l.Time == 0 {
		l.Time = 120 * time.Second
	}
	if l.Memory == 0 {
		l.Memory = 2 << 30
	}
	if l.Processes == 0 {
		l.Processes = 512
	}
	if l.FileSize == 0 {
		l.FileSize = 1 << 30
	}
	if l.Output == 0 {
		l.Output = 64 << 20
	}
	if l.Disk == 0 {
		l.Disk = 4 << 30
	}
	if l.Files == 0 {
		l.Files = 500_000
	}
	return l
}

// A job is a command with everything that is decided before it starts.
type job struct {
	cmd       *Cmd
	limits    Limits
	workspace string // absolute
	env       []string
	tools     toolchains
	stdio     *stdio
	group     *group // nil: none
	disk      *disk
}

// stopped is the cause with which we end a command.
type stopped string

// Error is the reason's word.
func (s stopped) Error() string { return string(s) }

func (c *Cmd) run(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c, done, err := c.bridged()
	if err != nil {
		return err
	}
	defer done()
	j, err := c.job()
	if err != nil {
		return err
	}
	j.disk = newDisk(j)
	defer j.disk.close()
	if err := j.disk.room(); err != nil {
		return err
	}
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	inner, cancel := context.WithTimeoutCause(inner, j.limits.Time, stopped("time"))
	defer cancel()
	if err := j.stdio.open(c, j.limits.Output, func() { stop(stopped("output")) }); err != nil {
		return err
	}
	j.group = c.sandbox.groups.group(j.limits)
	defer j.group.remove()
	p, err := j.group.start(func() (process, error) { return c.sandbox.way.start(j) })
	if err != nil {
		j.stdio.abandon()
		return err
	}
	j.stdio.begin()
	return c.follow(ctx, inner, stop, j, p)
}

// follow sees a started process to its end and says how it ended.
func (c *Cmd) follow(ctx, inner context.Context, stop context.CancelCauseFunc, j *job, p process) error {
	ended := make(chan struct{})
	go func() {
		select {
		case <-inner.Done():
			j.group.kill()
			p.kill()
		case <-ended:
		}
	}()
	go watch(inner, p.use, j, stop)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		j.disk.watch(inner, p.pid(), func(reason string) { stop(stopped(reason)) })
	}()
	out, err := p.wait()
	close(ended)
	cause := context.Cause(inner) // nil when nobody stopped it
	stop(nil)
	<-watched
	j.stdio.finish()
	if err == nil && out.Ours && out.Code == codeSetup && bytes.HasPrefix(j.stdio.head.Bytes(), []byte("sandbox: ")) {
		err = errSetup
	}
	if err == nil && out.Reason != "" {
		return j.over(out.Reason)
	}
	if reason := j.excess(); cause == nil && err == nil && reason != "" {
		return j.over(reason)
	}
	if err == nil && !out.Killed && (cause == nil || out.Code != codeKilled) {
		return exit(out.Code)
	}
	var reason stopped
	switch {
	case errors.As(cause, &reason):
		return j.over(string(reason))
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errSetup):
		return fmt.Errorf("%w: %s", err, strings.TrimPrefix(strings.TrimSpace(j.stdio.head.String()), "sandbox: "))
	case err != nil:
		return err
	}
	return &ExitError{Code: codeKilled, Reason: "killed"}
}

// excess says what a command that ended by itself took too much of, before a watch saw it.
func (j *job) excess() string {
	if j.group.starved() {
		return "memory"
	}
	return j.disk.excess(0, true)
}

// over is the end of a command that was beyond a limit.
func (j *job) over(reason string) error {
	limit := map[string]int64{
		"memory": j.limits.Memory, "output": j.limits.Output, "disk": j.limits.Disk, "files": j.limits.Files,
	}[reason]
	return &ExitError{Code: codeKilled, Reason: reason, Limit: limit}
}

// exit is nil for 0.
func exit(code int) error {
	if code == 0 {
		return nil
	}
	return &ExitError{Code: code}
}

// job decides what the command gets.
func (c *Cmd) job() (*job, error) {
	workspace, err := filepath.Abs(c.Workspace)
	if err != nil {
		return nil, fmt.Errorf("sandbox: workspace: %w", err)
	}
	return &job{
		cmd:       c,
		limits:    c.Limits.withDefaults(),
		workspace: workspace,
		env:       cleanEnv(c.sandbox.tools, c.Env),
		tools:     c.sandbox.tools,
		stdio:     &stdio{},
	}, nil
}

// dir is where the command starts, inside.
func (j *job) dir() string { return path.Join("/src", filepath.ToSlash(j.cmd.Dir)) }
