package sandbox

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/cgroup"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/toolchain"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/user"
)

// The kinds of sandbox.
const (
	kindAuto        = ""           // bubblewrap if available, else namespaces
	KindBubblewrap  = "bubblewrap" // uses the machine's bwrap
	KindNamespaces  = "namespaces" // needs only the kernel
	KindNone        = "none"       // no confinement
	KindGVisor      = "gvisor"     // uses the machine's runsc: commands run on their own kernel
	KindDocker      = "docker"     // a container of Docker or Podman
	kindAutoWritten = "auto"       // another spelling of kindAuto, for configurations
	kindsInWords    = "auto, bubblewrap, namespaces, gvisor, docker, none"
)

// Config says which sandbox to open. The zero value opens the first automatic kind that works on this
// machine.
type Config struct {
	// Kind is one of the kinds; empty or "auto" selects the first one that works.
	Kind string
	// Log receives the selected kind and the reasons. Default: discarded.
	Log *slog.Logger
	// Toolchains are directories outside /usr that commands can read at the same path, with their bin
	// directories on the PATH. If it is nil, Go, Node and Rust are looked for.
	Toolchains []string
	// Runsc is the path of gVisor's program for the kind gvisor. Default: runsc on the PATH.
	Runsc string
	// Engine is the path of the engine's program for the kind docker. Default: docker on the PATH, else
	// podman.
	Engine string
	// Image is the image for commands of the kind docker. The engine must already have it.
	Image string
	// Env are variables for every command (NAME=value). The variables of a Cmd override them.
	Env []string
	// Ended is called with the result of each command: ok, exit (a status other than 0), a Reason of
	// ExitError, or error if ctx ended or the command could not be run. It may be nil.
	Ended func(how string)
}

// A Sandbox runs commands. It is safe for concurrent use and holds nothing open.
type Sandbox struct {
	kind    string
	backend backend.Backend
	tools   toolchain.Set
	env     []string // variables for every command
	ended   func(how string)
	detail  string
	groups  *cgroup.Groups // control groups for commands; nil if there are none
	shell   *foundShell
	config  Config
	images  *openedImages // of WithImage; shared by the sandboxes that it returns
}

// A kind is an entry in the table of kinds.
type kind struct {
	name string
	// used if no kind is configured; earlier entries are preferred
	auto bool
	// open finds what the kind needs on this machine.
	open func(context.Context, Config) (backend.Backend, error)
}

// Open opens a sandbox and probes it from the inside before it returns it. The error is an *Unavailable
// unless ctx ended.
func Open(ctx context.Context, c Config) (*Sandbox, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Kind == kindAuto || c.Kind == kindAutoWritten {
		return openFirst(ctx, c)
	}
	for _, k := range kinds {
		if k.name == c.Kind {
			return openKind(ctx, c, k)
		}
	}
	return nil, &Unavailable{Kind: c.Kind, Why: "there is no such kind", Cure: "use one of: " + kindsInWords}
}

// openFirst opens the first automatic kind that works.
func openFirst(ctx context.Context, c Config) (*Sandbox, error) {
	var whys, cures []string
	for _, k := range kinds {
		if !k.auto {
			continue
		}
		s, err := openKind(ctx, c, k)
		if err == nil {
			return s, nil
		}
		var u *Unavailable
		if !errors.As(err, &u) {
			return nil, err
		}
		c.Log.Info("sandbox kind does not hold here", "kind", k.name, "why", u.Why)
		whys = append(whys, k.name+": "+u.Why)
		cures = append(cures, u.Cure)
	}
	return nil, &Unavailable{
		Kind: kindAutoWritten,
		Why:  strings.Join(whys, "; "),
		Cure: strings.Join(cures, "; or "),
	}
}

// openKind opens one kind and runs the probes in it, unless it confines nothing.
func openKind(ctx context.Context, c Config, k kind) (*Sandbox, error) {
	b, err := k.open(ctx, c)
	if err != nil {
		return nil, newUnavailable(k.name, nil, err)
	}
	return probed(ctx, c, k, b)
}

// probed returns the sandbox of an opened kind after the probes.
func probed(ctx context.Context, c Config, k kind, b backend.Backend) (*Sandbox, error) {
	s := &Sandbox{
		kind: k.name, backend: b, env: c.Env, ended: c.Ended, shell: &foundShell{}, config: c,
		images: &openedImages{},
	}
	if k.name == KindNone {
		c.Log.Warn("sandbox is off: commands run unconfined, with this program's own rights and network")
		s.detail = "none: commands are not confined"
		return s, nil
	}
	s.groups = cgroup.Find()
	if !b.Environment().Image || c.Toolchains != nil { // an image has its own toolchains
		s.tools = toolchain.Find(ctx, c.Toolchains)
	}
	err := s.runProbes(ctx)
	if err != nil && s.groups != nil && ctx.Err() == nil {
		// the control groups were found but do not work: try without
		s.groups = nil
		err = s.runProbes(ctx)
	}
	if err != nil {
		return nil, err
	}
	s.detail = b.Describe() + ", " + s.groups.Describe()
	c.Log.Info("sandbox holds", "sandbox", s.detail, "toolchains", s.tools.Dirs)
	return s, nil
}

// Kind returns the kind of the sandbox.
func (s *Sandbox) Kind() string { return s.kind }

// User returns the uid of commands, as they see it.
func (s *Sandbox) User() int { return s.backend.Environment().User }

// Describe describes the confinement in one line, for the log and for people.
func (s *Sandbox) Describe() string { return s.detail }

// Command returns a Cmd that runs args in the workspace, a directory of this machine.
func (s *Sandbox) Command(workspace string, args ...string) *Cmd {
	return &Cmd{sandbox: s, Workspace: workspace, Args: args}
}

// Own makes the user that commands run as the owner of the tree at path, so that commands can write to it.
// Files that are nested too deep keep their owner. Own does nothing unless the program runs as root and
// commands are confined.
func (s *Sandbox) Own(path string) error {
	if s.kind == KindNone {
		return nil
	}
	return user.Own(path)
}

// CanShow reports whether a directory of programs may be mounted for commands: it contains no home and no
// directory of the system, and the commands' user can read it.
func CanShow(dir string) bool { return toolchain.CanShow(filepath.Clean(dir)) }
