package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/cgroup"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/diskwatch"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/process"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/toolchain"
)

// An execution is a running command.
type execution struct {
	job    *backend.Job
	stdio  *stdio
	groups *cgroup.Group // nil if there are none
	disk   *diskwatch.Watch
	began  time.Time

	killOne bool
	mu      sync.Mutex
	used    Used
}

// stopped is the cancellation cause of a command that this program ended. Its value is the Reason of the
// ExitError.
type stopped string

// Error returns the reason.
func (s stopped) Error() string { return string(s) }

// runOnThread starts the command on the calling thread and waits for its end.
func (c *Cmd) runOnThread(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	caller := c
	c, done, err := c.withBridge()
	if err != nil {
		return err
	}
	defer done()
	job, err := c.newJob()
	if err != nil {
		return err
	}
	e := &execution{
		job:     job,
		stdio:   &stdio{},
		disk:    watchDisks(job),
		began:   time.Now(),
		killOne: c.KillOne,
	}
	defer e.disk.Close()
	if err := e.disk.CheckRoom(); err != nil {
		return err
	}
	inner, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	inner, cancel := context.WithTimeoutCause(inner, job.Limits.Time, stopped("time"))
	defer cancel()
	if err := e.stdio.openPipes(c, job.Limits.Output, func() { stop(stopped("output")) }); err != nil {
		return err
	}
	job.Stdin = e.stdio.in
	job.Stdout = e.stdio.out
	job.Stderr = e.stdio.err
	e.groups = c.sandbox.groups.NewGroup(cgroup.Limits{
		Memory:    job.Limits.Memory,
		Processes: job.Limits.Processes,
		KillOne:   c.KillOne,
	})
	defer e.groups.Remove()
	job.PlaceIn = e.groups.PlaceIn
	var p backend.Process
	err = e.groups.Start(func() (err error) {
		p, err = c.sandbox.backend.Start(job)
		return err
	})
	if err != nil {
		e.stdio.closeAll()
		return err
	}
	e.stdio.startCopying()
	err = e.followToEnd(ctx, inner, stop, p)
	caller.Used = e.usedAtPeak()
	return err
}

// usedAtPeak returns what the command needed.
func (e *execution) usedAtPeak() Used {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.used.Killed = e.groups.OutOfMemory()
	return e.used
}

// noteUse keeps the peaks of a measurement.
func (e *execution) noteUse(u process.Usage) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.used.Memory = max(e.used.Memory, u.Memory)
	e.used.Processes = max(e.used.Processes, u.Tasks, u.Processes)
}

// newJob returns the job for the command, with all defaults filled in.
func (c *Cmd) newJob() (*backend.Job, error) {
	workspace, err := filepath.Abs(c.Workspace)
	if err != nil {
		return nil, fmt.Errorf("sandbox: workspace: %w", err)
	}
	return &backend.Job{
		Args:   c.Args,
		Env:    toolchain.CleanEnv(c.sandbox.tools, slices.Concat(c.sandbox.env, c.Env)),
		Dir:    path.Join("/src", filepath.ToSlash(c.Dir)),
		Limits: c.Limits.WithDefaults(),
		SetsPath: slices.ContainsFunc(c.Env,
			func(kv string) bool { return strings.HasPrefix(kv, "PATH=") }),
		Workspace:  workspace,
		ReadOnly:   c.ReadOnly,
		Toolchains: c.sandbox.tools.Dirs,
		Mounts:     c.Mounts,
		Files:      c.files,
		PlaceIn:    func(*syscall.SysProcAttr) {},
	}, nil
}

// watchDisks returns a Watch for the directories of the machine that the job can write to.
func watchDisks(j *backend.Job) *diskwatch.Watch {
	var dirs []string
	if !j.ReadOnly {
		dirs = append(dirs, j.Workspace)
	}
	for _, m := range j.Mounts {
		if m.Writable {
			dirs = append(dirs, m.Host)
		}
	}
	return diskwatch.New(diskwatch.Limits{Bytes: j.Limits.Disk, Files: j.Limits.Files}, dirs...)
}

// followToEnd waits for the end of a started process and returns how it ended.
func (e *execution) followToEnd(
	ctx, inner context.Context, stop context.CancelCauseFunc, p backend.Process,
) error {
	stopFor := func(reason string) { stop(stopped(reason)) }
	ended := make(chan struct{})
	go func() {
		select {
		case <-inner.Done():
			e.groups.Kill()
			p.Kill()
		case <-ended:
		}
	}()
	go process.Watch(inner, p.Usage, e.findOveruse, stopFor)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		e.disk.Run(inner, p.PID(), stopFor)
	}()
	out, err := p.Wait()
	close(ended)
	cause := context.Cause(inner) // nil if nothing stopped the command
	stop(nil)
	<-watched
	e.stdio.awaitCopies()
	if err == nil && out.Ours && out.Code == backend.CodeSetup &&
		bytes.HasPrefix(e.stdio.head.Bytes(), []byte("sandbox: ")) {
		err = backend.ErrSetup
	}
	if err == nil && out.Reason != "" {
		return e.newLimitError(out.Reason)
	}
	wasKilled := out.Killed || out.Code == backend.CodeKilled
	if reason := e.lateExcess(wasKilled); err == nil && (cause == nil || reason == "memory") &&
		reason != "" {
		return e.newLimitError(reason)
	}
	if err == nil && !out.Killed && (cause == nil || out.Code != backend.CodeKilled) {
		return exitWith(out.Code)
	}
	var reason stopped
	switch {
	case errors.As(cause, &reason):
		return e.newLimitError(string(reason))
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, backend.ErrSetup):
		return fmt.Errorf("%w: %s", err,
			strings.TrimPrefix(strings.TrimSpace(e.stdio.head.String()), "sandbox: "))
	case err != nil:
		return err
	}
	return &ExitError{Code: backend.CodeKilled, Reason: "killed"}
}

// findOveruse returns the limit that the running command exceeds, or "". If a control group limits the
// memory, it is exceeded once the kernel has killed a process of the group for it.
func (e *execution) findOveruse(u process.Usage) string {
	e.noteUse(u)
	switch {
	case e.groups.HasController("memory"):
		if killed := e.groups.OutOfMemory(); killed > maxKilled || killed > 0 && !e.killOne {
			return "memory"
		}
	case u.Memory > e.job.Limits.Memory:
		return "memory"
	}
	if u.Processes > e.job.Limits.Processes {
		return "processes"
	}
	return ""
}

// lateExcess returns the limit that a finished command had exceeded before a watch noticed it, or "". On a
// busy machine the kernel may kill a command for its processor time before the clock of this program does.
func (e *execution) lateExcess(killed bool) string {
	if e.groups.OutOfMemory() > 0 && (killed || !e.killOne) {
		return "memory"
	}
	if reason := e.disk.FindExcess(0, true); reason != "" {
		return reason
	}
	if killed && time.Since(e.began) > e.job.Limits.Time {
		return "time"
	}
	return ""
}

// newLimitError returns the error for a command that exceeded a limit.
func (e *execution) newLimitError(reason string) error {
	l := e.job.Limits
	limit := map[string]int64{
		"memory": l.Memory,
		"output": l.Output,
		"disk":   l.Disk,
		"files":  l.Files,
	}[reason]
	return &ExitError{Code: backend.CodeKilled, Reason: reason, Limit: limit}
}

// exitWith returns an *ExitError with the code, or nil for code 0.
func exitWith(code int) error {
	if code == 0 {
		return nil
	}
	return &ExitError{Code: code}
}
