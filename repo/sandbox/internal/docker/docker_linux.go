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

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/process"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user"
)

// A Config names the engine and the image. The engine must already have the image.
type Config struct {
	Engine string // path or name of the program; default: docker on the PATH, else podman
	Image  string
}

// dockerLabel is the label of containers that this program creates.
const dockerLabel = "bobbin"

// answerTimeout is the timeout of a query to the engine.
const answerTimeout = 20 * time.Second

// A docker is the backend that uses a container engine, Docker or Podman: a container for each command, from
// a configured image. The machine's programs and toolchains are not visible; the image has its own. Inside,
// this program is the first process and confines itself and the command as in the other kinds, so it must be
// able to run there: a static build runs in every image of its architecture.
//
// The engine runs as root and starts what it is told to. The first process in a container exits when its pipe
// from this process is closed, and all others with it. The name of a container identifies the process that
// created it, so that a container that the engine kept anyway is removed at the next Open.
type docker struct {
	engine string // absolute
	podman bool
	image  string // its name
	id     string // of the image, which runs even if another one gets its name
	label  string // name and version of the engine
	owner  string // prefix of the names of this process's containers
	count  atomic.Int64
}

// Open finds the engine, checks that it has the image, and removes containers of dead processes.
func Open(ctx context.Context, c Config) (backend.Backend, error) {
	if c.Image == "" {
		return nil, &backend.Unavailable{
			Why:  "no image is named",
			Cure: "set sandbox.image to one that the engine has",
		}
	}
	engine, err := findEngine(c.Engine)
	if err != nil {
		return nil, err
	}
	d := &docker{
		engine: engine,
		podman: strings.Contains(filepath.Base(engine), "podman"),
		image:  c.Image,
		owner:  ownerName(os.Getpid()),
	}
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
	if d.id, err = d.askEngine(ctx, "image", "inspect", "--format", "{{.Id}}", c.Image); err != nil {
		return nil, &backend.Unavailable{
			Why:  fmt.Sprintf("the engine does not have the image %s: %v", c.Image, err),
			Cure: fmt.Sprintf("%s pull %s", filepath.Base(engine), c.Image),
		}
	}
	d.removeOrphans(ctx)
	return d, nil
}

// findEngine returns the path of the configured program, or else of docker or podman.
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

// askEngine runs the engine's program and returns its output.
func (d *docker) askEngine(ctx context.Context, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, d.engine, args...)
	cmd.Env = engineEnv()
	cmd.WaitDelay = 10 * time.Second
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

// engineEnv returns the part of this program's environment that the engine's program needs to find the
// engine. That program runs outside, and passes none of it to commands.
func engineEnv() []string {
	var env []string
	for _, name := range []string{
		"PATH", "HOME", "XDG_RUNTIME_DIR", "DOCKER_HOST", "DOCKER_CONTEXT", "DOCKER_CONFIG",
		"DOCKER_TLS_VERIFY", "DOCKER_CERT_PATH", "CONTAINER_HOST",
	} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// ownerName returns the prefix of the names of a process's containers. It identifies the machine, or the
// container that this program runs in, the process and its start time.
func ownerName(pid int) string {
	host, _ := os.Hostname()
	space, _ := os.Readlink("/proc/self/ns/pid")
	sum := sha256.Sum256([]byte(host + "\x00" + space))
	return fmt.Sprintf("bobbin-%x-%d-%s", sum[:6], pid, process.StartTime(pid))
}

// isOrphaned reports whether the container with that name belongs to a process of this machine that has
// ended.
func isOrphaned(name string) bool {
	words := strings.Split(name, "-")
	if len(words) != 5 {
		return false
	}
	pid, err := strconv.Atoi(words[2])
	return err == nil && words[1] == strings.Split(ownerName(pid), "-")[1] &&
		process.StartTime(pid) != words[3]
}

// removeOrphans removes the containers of processes that have ended.
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
	return "make this run: docker run --rm --network none --read-only --cap-drop ALL with the image; " +
		"Bobbin has to be a static build, and at the same path for the engine"
}

func (d *docker) Describe() string {
	uid, _ := user.CommandUser()
	return fmt.Sprintf("%s, image %s, uid %d, seccomp, no network", d.label, d.image, uid)
}

// Environment says that commands have uids of the machine, so that they can write to their workspaces.
func (d *docker) Environment() backend.Environment {
	uid, _ := user.CommandUser()
	return backend.Environment{User: uid, Image: true, SameIDs: true, ImageID: d.id}
}
