package docker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"syscall"
	"time"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/initproc"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/process"
)

// killTimeout is how long a container may take to end after its pipe is closed. Then the engine is told to
// remove it.
const killTimeout = 2 * time.Second

func (d *docker) Start(j *backend.Job) (backend.Process, error) {
	l, err := initproc.WithProgram(backend.NewLayout(j))
	if err != nil {
		return nil, err
	}
	o, _ := initproc.NewOrders(j, l)
	o.ImagePath = !j.SetsPath
	o.Layout.System = nil
	o.Layout.Links = nil
	o.Processes = sharedProcesses()
	o.Drop = false
	o.Memory = j.Limits.Memory
	box, err := newGuestDir(o)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%s-%d", d.owner, d.count.Add(1))
	cmd := &exec.Cmd{
		Path:        d.engine,
		Args:        append([]string{d.engine}, d.buildArgs(name, o, j.Limits, box)...),
		Env:         engineEnv(),
		Dir:         "/",
		Stdin:       j.Stdin,
		Stdout:      j.Stdout,
		Stderr:      j.Stderr,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	process.DieWithParent(cmd.SysProcAttr)
	process.CloseOnExec(3)
	if err := cmd.Start(); err != nil {
		box.close()
		return nil, fmt.Errorf("sandbox: %s: %w", d.engine, err)
	}
	c := &container{
		docker:   d,
		cmd:      cmd,
		name:     name,
		box:      box,
		ended:    make(chan struct{}),
		reported: make(chan struct{}),
	}
	go c.readReports()
	return c, nil
}

// A container is a running container, with the engine's program attached to it.
type container struct {
	docker   *docker
	cmd      *exec.Cmd
	name     string
	box      *guestDir
	ended    chan struct{} // closed when the engine's program has ended
	reported chan struct{} // closed when all reports have been read
	// The reports; read them only after reported is closed.
	started bool
	last    *initproc.Report
}

func (c *container) PID() int { return 0 }

// Usage returns zero, because the engine enforces the limits.
func (c *container) Usage() process.Usage { return process.Usage{} }

// readReports reads reports until the End report that Wait writes after the last one.
func (c *container) readReports() {
	defer close(c.reported)
	decoder := json.NewDecoder(io.LimitReader(c.box.report, 64<<10))
	for {
		var r initproc.Report
		if err := decoder.Decode(&r); err != nil || r.End {
			return
		}
		if r.Started && !c.started {
			c.started = true
			c.box.removePipes()
			continue
		}
		if c.last == nil {
			c.last = &r
		}
	}
}

// Kill closes the pipe, so that the first process inside exits, and all other processes with it.
func (c *container) Kill() {
	c.box.life.Close()
	select {
	case <-c.ended:
	case <-time.After(killTimeout):
		c.remove()
		c.cmd.Process.Kill() //nolint:errcheck // it may be gone
	}
}

// remove makes the engine kill and remove the container.
func (c *container) remove() {
	c.docker.askEngine(context.Background(), "rm", "--force", c.name) //nolint:errcheck // it may be gone
}

// Wait returns when the container has ended. If there is no report of how it ended, the container is removed
// first.
func (c *container) Wait() (backend.Outcome, error) {
	defer c.box.close()
	err := c.cmd.Wait()
	close(c.ended)
	if encodeErr := json.NewEncoder(c.box.report).Encode(initproc.Report{End: true}); encodeErr == nil {
		<-c.reported
	}
	switch {
	case c.last != nil && c.last.Error != "":
		return backend.Outcome{}, errors.New("sandbox: " + c.last.Error)
	case c.started && c.last != nil:
		return backend.Outcome{Code: c.last.Code, Reason: c.last.Reason}, nil
	}
	c.remove()
	if c.cmd.ProcessState == nil {
		return backend.Outcome{}, err
	}
	if !c.started && !backend.OutcomeOf(c.cmd.ProcessState).Killed {
		return backend.Outcome{}, backend.ErrSetup
	}
	return backend.Outcome{Code: backend.CodeKilled, Killed: true}, nil
}
