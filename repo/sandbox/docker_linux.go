package sandbox

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// dockerLabel marks the containers that are ours.
const dockerLabel = "bobbin"

// dockerPatience is how long the engine may take to answer a question.
const dockerPatience = 20 * time.Second

// docker is the kind that leaves the building to a container engine, Docker or Podman: a
// container for each command, from an image that somebody chose. The machine's programs
// and toolchains do not show; the image has its own. Inside, this program is the first
// process and confines itself and the command as everywhere, so it has to run there: a
// static build does in every image of its architecture.
//
// The engine is a program of root's that starts what it is told to. Its own first process
// there ends when the pipe to us does, and with it all; names say whose a container is, so
// that what the engine kept nevertheless is removed when somebody opens this kind again.
type docker struct {
	engine string // absolute
	podman bool
	image  string
	label  string // what it calls itself
	owner  string // how the names of our containers begin
	count  atomic.Int64
}

func newDocker(ctx context.Context, c Config) (way, error) {
	if c.Image == "" {
		return nil, &Unavailable{Kind: KindDocker, Why: "no image is named", Cure: "set sandbox.image to one that the engine has"}
	}
	engine, err := findEngine(c.Engine)
	if err != nil {
		return nil, err
	}
	d := &docker{engine: engine, podman: strings.Contains(filepath.Base(engine), "podman"), image: c.Image, owner: ownerName(os.Getpid())}
	field := "{{.Server.Version}}"
	if d.podman {
		field = "{{.Client.Version}}"
	}
	version, err := d.ask(ctx, "version", "--format", field)
	if err != nil {
		return nil, &Unavailable{
			Kind: KindDocker, Why: "the engine cannot be reached: " + err.Error(),
			Cure: "start it, and let the user that Bobbin runs as reach it (group docker, DOCKER_HOST)",
		}
	}
	d.label = "docker"
	if d.podman {
		d.label += " (podman)"
	}
	d.label += " " + version
	if _, err := d.ask(ctx, "image", "inspect", "--format", "{{.Id}}", c.Image); err != nil {
		return nil, &Unavailable{
			Kind: KindDocker, Why: fmt.Sprintf("the engine does not have the image %s: %v", c.Image, err),
			Cure: fmt.Sprintf("%s pull %s", filepath.Base(engine), c.Image),
		}
	}
	d.sweep(ctx)
	return d, nil
}

// findEngine is the program that is asked for, or one that is there.
func findEngine(asked string) (string, error) {
	names := []string{"docker", "podman"}
	if asked != "" {
		names = []string{asked}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", &Unavailable{
		Kind: KindDocker, Why: strings.Join(names, " and ") + " not found",
		Cure: "install Docker or Podman, set sandbox.engine to where it is, or use another kind of sandbox",
	}
}

// ask runs the engine's program and returns its one line.
func (d *docker) ask(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, dockerPatience)
	defer cancel()
	cmd := exec.CommandContext(ctx, d.engine, args...)
	cmd.Env, cmd.WaitDelay = engineEnv(), time.Second
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return strings.TrimSpace(string(out)), nil
	case ctx.Err() != nil:
		return "", fmt.Errorf("%s did not answer", filepath.Base(d.engine))
	case errors.As(err, &exit) && len(exit.Stderr) > 0:
		return "", errors.New(strings.Join(strings.Fields(string(exit.Stderr)), " "))
	}
	return "", err
}

// engineEnv is what of our environment the engine's program needs to find the engine. It
// runs outside, and hands none of it on.
func engineEnv() []string {
	var env []string
	for _, name := range []string{
		"PATH", "HOME", "XDG_RUNTIME_DIR", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG", "DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH", "CONTAINER_HOST",
	} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// ownerName is how the names of a process's containers begin: with the machine, or
// whatever stands for it where this program runs, the process and when it started.
func ownerName(pid int) string {
	host, _ := os.Hostname()
	space, _ := os.Readlink("/proc/self/ns/pid")
	sum := sha256.Sum256([]byte(host + "\x00" + space))
	return fmt.Sprintf("bobbin-%x-%d-%s", sum[:6], pid, startTime(pid))
}

// startTime is when a process started, in the machine's ticks; empty where there is none.
func startTime(pid int) string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(text), ") ") // the name may hold anything
	if fields := strings.Fields(after); len(fields) > 19 {
		return fields[19]
	}
	return ""
}

// orphaned reports whether a container of that name belongs to a process of this machine
// that is no more.
func orphaned(name string) bool {
	words := strings.Split(name, "-")
	if len(words) != 5 {
		return false
	}
	pid, err := strconv.Atoi(words[2])
	return err == nil && words[1] == strings.Split(ownerName(pid), "-")[1] && startTime(pid) != words[3]
}

// sweep removes what processes left behind that are no more.
func (d *docker) sweep(ctx context.Context) {
	names, err := d.ask(ctx, "ps", "--all", "--filter", "label="+dockerLabel, "--format", "{{.Names}}")
	if err != nil {
		return // a container that is left ends by itself
	}
	for _, name := range strings.Fields(names) {
		if orphaned(name) {
			d.ask(ctx, "rm", "--force", name) //nolint:errcheck // the next one tries again
		}
	}
}

func (d *docker) describe() string {
	uid, _ := outsideUser()
	return fmt.Sprintf("%s, image %s, uid %d, seccomp, no network", d.label, d.image, uid)
}

// world: users have the machine's numbers, so that they can write their workspaces.
func (d *docker) world() world {
	uid, _ := outsideUser()
	return world{User: uid, Image: true, SameIDs: true}
}
