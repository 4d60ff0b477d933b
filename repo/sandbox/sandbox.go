package sandbox

import (
	"context"
	"errors"
	"log/slog"
	"strings"

	"github.com/bobbinhq/bobbin/repo/sandbox/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/cgroup"
	"github.com/bobbinhq/bobbin/repo/sandbox/toolchain"
	"github.com/bobbinhq/bobbin/repo/sandbox/user"
)

// The kinds of sandbox.
const (
	kindAuto        = ""           // bubblewrap, else namespaces
	KindBubblewrap  = "bubblewrap" // bwrap of the machine
	KindNamespaces  = "namespaces" // built in
	KindNone        = "none"       // nothing is confined
	KindGVisor      = "gvisor"     // runsc of the machine: a kernel of its own
	KindDocker      = "docker"     // a container of Docker or Podman
	kindAutoWritten = "auto"       // the same as KindAuto, as people write it
	kindsInWords    = "auto, bubblewrap, namespaces, gvisor, docker, none"
)

// Config says which sandbox to open. The zero value is the best kind that this machine
// allows.
type Config struct {
	// Kind is one of the kinds; empty or "auto" takes the first that holds.
	Kind string
	// Log is told what was chosen and why. Default: discarded.
	Log *slog.Logger
	// Toolchains are directories outside /usr that commands may read, at the same path,
	// their bin directories on the PATH. Nil: found out (Go, Node, Rust).
	Toolchains []string
	// Runsc is gVisor's program for the kind gvisor. Default: runsc on the PATH.
	Runsc string
	// Engine is the program of the kind docker. Default: docker on the PATH, else podman.
	Engine string
	// Image is what commands of the kind docker see; the engine has to have it.
	Image string
	// Env are variables of every command (NAME=value). What a command sets itself counts more.
	Env []string
	// Ended is told how each command ended: ok, exit (a status other than 0), a Reason of
	// ExitError, or error where ctx ended it or it could not be run. Nil: nobody is told.
	Ended func(how string)
}

// A Sandbox runs commands. It is safe for concurrent use and holds nothing open.
type Sandbox struct {
	kind    string
	backend backend.Backend
	log     *slog.Logger
	tools   toolchain.Set
	env     []string // of every command
	ended   func(how string)
	detail  string
	groups  *cgroup.Groups // control groups for commands; nil: none
}

// A kind is an entry in the table of kinds.
type kind struct {
	name string
	auto bool // taken where no kind is asked for, if it holds; earlier ones before later ones
	// open finds what the kind needs on this machine.
	open func(context.Context, Config) (backend.Backend, error)
}

// Open finds a sandbox that holds, and probes it from the inside before it says so. The
// error is *Unavailable unless ctx ended.
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

// openFirst takes the first of the kinds that holds.
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
	return nil, &Unavailable{Kind: kindAutoWritten, Why: strings.Join(whys, "; "), Cure: strings.Join(cures, "; or ")}
}

// openKind opens one kind and, unless it confines nothing, runs the probes in it.
func openKind(ctx context.Context, c Config, k kind) (*Sandbox, error) {
	b, err := k.open(ctx, c)
	if err != nil {
		return nil, newUnavailable(k.name, nil, err)
	}
	s := &Sandbox{kind: k.name, backend: b, log: c.Log, env: c.Env, ended: c.Ended}
	if k.name == KindNone {
		c.Log.Warn("sandbox is off: commands run unconfined, with this program's own rights and network")
		s.detail = "none: commands are not confined"
		return s, nil
	}
	s.groups = cgroup.Find()
	if !b.Environment().Image || c.Toolchains != nil { // an image has its own
		s.tools = toolchain.Find(ctx, c.Toolchains)
	}
	err = s.runProbes(ctx)
	if err != nil && s.groups != nil && ctx.Err() == nil { // they were promised, and are not to be had
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

// Kind is the kind that was opened.
func (s *Sandbox) Kind() string { return s.kind }

// Describe says in one line what holds commands in, for the log and for people.
func (s *Sandbox) Describe() string { return s.detail }

// Command is the command args over the workspace, a directory of this machine.
func (s *Sandbox) Command(workspace string, args ...string) *Cmd {
	return &Cmd{sandbox: s, Workspace: workspace, Args: args}
}

// Own gives the tree at path to the user that commands run as, so that they may write it;
// what is nested too deep to be reached stays as it is. It does nothing unless the program
// runs as root and commands are confined.
func (s *Sandbox) Own(path string) error {
	if s.kind == KindNone {
		return nil
	}
	return user.Own(path)
}
