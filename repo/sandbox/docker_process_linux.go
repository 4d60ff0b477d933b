package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"
)

// killPatience is how long a container may take to end by itself when the pipe to it is
// closed; after that the engine is told to end it.
const killPatience = 2 * time.Second

func (d *docker) start(j *job) (process, error) {
	l, err := j.layout().withProgram()
	if err != nil {
		return nil, err
	}
	o, _ := j.orders(l)
	o.ImagePath = !slices.ContainsFunc(j.cmd.Env, func(kv string) bool { return strings.HasPrefix(kv, "PATH=") })
	o.Layout.System, o.Layout.Links, o.Processes, o.Drop, o.Memory = nil, nil, sharedProcesses, false, j.limits.Memory
	box, err := newBoxDir(o)
	if err != nil {
		return nil, err
	}
	name := fmt.Sprintf("%s-%d", d.owner, d.count.Add(1))
	cmd := &exec.Cmd{
		Path: d.engine, Args: append([]string{d.engine}, d.args(name, o, j.limits, box)...), Env: engineEnv(), Dir: "/",
		Stdin: j.stdio.in, Stdout: j.stdio.out, Stderr: j.stdio.err, SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	dieWithParent(cmd.SysProcAttr)
	closeOnExec(3)
	if err := cmd.Start(); err != nil {
		box.close()
		return nil, fmt.Errorf("sandbox: %s: %w", d.engine, err)
	}
	c := &contained{docker: d, cmd: cmd, name: name, box: box, ended: make(chan struct{}), said: make(chan struct{})}
	go c.listen()
	return c, nil
}

// contained is a running container, with the engine's program attached to it.
type contained struct {
	docker *docker
	cmd    *exec.Cmd
	name   string
	box    *boxDir
	ended  chan struct{} // closed when the engine's program has ended
	said   chan struct{} // closed when all reports are in
	// What was reported, to be read after that.
	started bool
	last    *report
}

func (c *contained) pid() int { return 0 }

// use: the engine keeps count.
func (c *contained) use() usage { return usage{} }

// listen reads the reports until the mark that wait sets behind the last one.
func (c *contained) listen() {
	defer close(c.said)
	decoder := json.NewDecoder(io.LimitReader(c.box.report, 64<<10))
	for {
		var r report
		if err := decoder.Decode(&r); err != nil || r.End {
			return
		}
		if r.Started && !c.started {
			c.started = true
			c.box.unlink()
			continue
		}
		if c.last == nil {
			c.last = &r
		}
	}
}

// kill closes the pipe, at which the first process inside ends, and all with it.
func (c *contained) kill() {
	c.box.life.Close()
	select {
	case <-c.ended:
	case <-time.After(killPatience):
		c.remove()
		c.cmd.Process.Kill() //nolint:errcheck // it may be gone
	}
}

// remove has the engine end the container and forget it.
func (c *contained) remove() {
	c.docker.ask(context.Background(), "rm", "--force", c.name) //nolint:errcheck // it may be gone
}

// wait returns when the engine says that the container has ended; where it does not say
// how, the container is removed before.
func (c *contained) wait() (outcome, error) {
	defer c.box.close()
	err := c.cmd.Wait()
	close(c.ended)
	if encodeErr := json.NewEncoder(c.box.report).Encode(report{End: true}); encodeErr == nil {
		<-c.said
	}
	switch {
	case c.last != nil && c.last.Error != "":
		return outcome{}, errors.New("sandbox: " + c.last.Error)
	case c.started && c.last != nil:
		return outcome{Code: c.last.Code, Reason: c.last.Reason}, nil
	}
	c.remove()
	if c.cmd.ProcessState == nil {
		return outcome{}, err
	}
	if !c.started && !outcomeOf(c.cmd.ProcessState).Killed {
		return outcome{}, errSetup
	}
	return outcome{Code: codeKilled, Killed: true}, nil
}
