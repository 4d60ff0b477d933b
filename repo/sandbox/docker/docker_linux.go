package docker

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

	"github.com/bobbinhq/bobbin/repo/sandbox/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/process"
	"github.com/bobbinhq/bobbin/repo/sandbox/user"
)

// A Config names what is used. The image has to be there.
type Config struct {
	Engine string // program; default: docker on the PATH, else podman
	Image  string
}

// dockerLabel marks the containers that are ours.
const dockerLabel = "bobbin"

// answerTimeout is how long the engine may take to answer a question.
const answerTimeout = 20 * time.Second

// A docker leaves the building to a container engine, Docker or Podman: a
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

// Open finds the engine, asks it for the image, and removes containers of dead processes.
func Open(ctx context.Context, c Config) (backend.Backend, error) {
	if c.Image == "" {
		return nil, &backend.Unavailable{Why: "no image is named", Cure: "set sandbox.image to one that the engine has"}
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
	version, err := d.askEngine(ctx, "version", "--format", field)
	if err != nil {
		return nil, &backend.Unavailable{
			Why:  "the engine cannot be reached: " + err.Error(),
			Cure: "start it, and let the user that Bobbin runs as reach it (group docker, DOCKER_HOST)",
		}
	}
	d.label = "docker"
	if d.podman {
		d.label += " (podman)"
	}
	d.label += " " + version
	if _, err := d.askEngine(ctx, "image", "inspect", "--format", "{{.Id}}", c.Image); err != nil {
		return nil, &backend.Unavailable{
			Why:  fmt.Sprintf("the engine does not have the image %s: %v", c.Image, err),
			Cure: fmt.Sprintf("%s pull %s", filepath.Base(engine), c.Image),
		}
	}
	d.removeOrphans(ctx)
	return d, nil
}

// findEngine returns the program that is asked for, or else docker or podman.
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
	return "", &backend.Unavailable{
		Why:  strings.Join(names, " and ") + " not found",
		Cure: "install Docker or Podman, set sandbox.engine to where it is, or use another kind of sandbox",
	}
}

// askEngine runs the engine's program and returns the line that it prints.
func (d *docker) askEngine(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
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

// engineEnv returns the part of this program's environment that the engine's program needs
// to find the engine. That program runs outside, and hands none of it to commands.
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
	return fmt.Sprintf("bobbin-%x-%d-%s", sum[:6], pid, process.StartTime(pid))
}

// isOrphaned reports whether a container of that name belongs to a process of this machine
// that is no more.
func isOrphaned(name string) bool {
	words := strings.Split(name, "-")
	if len(words) != 5 {
		return false
	}
	pid, err := strconv.Atoi(words[2])
	return err == nil && words[1] == strings.Split(ownerName(pid), "-")[1] && process.StartTime(pid) != words[3]
}

// removeOrphans removes containers of processes that have ended.
func (d *docker) removeOrphans(ctx context.Context) {
	names, err := d.askEngine(ctx, "ps", "--all", "--filter", "label="+dockerLabel, "--format", "{{.Names}}")
	if err != nil {
		return // a container that is left ends by itself
	}
	for _, name := range strings.Fields(names) {
		if isOrphaned(name) {
			d.askEngine(ctx, "rm", "--force", name) //nolint:errcheck // the next one tries again
		}
	}
}

func (d *docker) Remedy(why string) string {
	if strings.Contains(why, "did not hold") {
		return ""
	}
	return "make this run: docker run --rm --network none --read-only --cap-drop ALL with the image; Bobbin has to be a static build, and at the same path for the engine"
}

func (d *docker) Describe() string {
	uid, _ := user.CommandUser()
	return fmt.Sprintf("%s, image %s, uid %d, seccomp, no network", d.label, d.image, uid)
}

// Environment says that users have the machine's numbers, so that they can write their workspaces.
func (d *docker) Environment() backend.Environment {
	uid, _ := user.CommandUser()
	return backend.Environment{User: uid, Image: true, SameIDs: true}
}
