package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

// The kinds of sandbox.
const (
	KindAuto        = ""           // bubblewrap, else namespaces
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
	// Log hears what was chosen and why. Default: discarded.
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
}

// A Sandbox runs commands. It is safe for concurrent use and holds nothing open.
type Sandbox struct {
	kind   string
	way    way
	log    *slog.Logger
	tools  toolchains
	detail string
	groups *groups // control groups for commands; nil: none
}

// A way is one manner of confining a command.
type way interface {
	// start begins the job; the process's tree dies with this thread.
	start(j *job) (process, error)
	// describe says in a few words what holds commands in.
	describe() string
	// world is what the probes have to know of the inside.
	world() world
}

// A world is in what the inside of one kind may differ from that of others without being
// any freer.
type world struct {
	User    int  // who commands are
	Kernel  bool // the kernel is not the machine's: users, processes and calls are its own inventions
	Image   bool // the files are an image's, not the machine's
	SameIDs bool // users have the machine's numbers, and cannot be changed
}

// A process is a started job.
type process interface {
	// pid is the root of the job's processes as this machine numbers them; 0 where they are
	// somebody else's children.
	pid() int
	// use is what the job's processes take now; zero where something else keeps count.
	use() usage
	// kill ends all of the job's processes.
	kill()
	// wait returns when all of them are dead.
	wait() (outcome, error)
}

// A usage is what a job is measured by while it runs. What the kernel limits by itself is
// not in it.
type usage struct {
	memory    int64 // bytes
	processes int
}

// An outcome is how the command itself ended.
type outcome struct {
	Code   int    // 128 + n after signal n
	Killed bool   // it was ended before it could say its code
	Reason string // why the kind ended it by itself
	Ours   bool   // where the code is codeSetup and the errors begin with our name, it never began
}

// Unavailable says that a kind of sandbox does not hold on this machine, why, and what
// somebody can do about it.
type Unavailable struct {
	Kind string
	Why  string
	Cure string
}

// Error is one line.
func (u *Unavailable) Error() string {
	line := fmt.Sprintf("sandbox %s: %s", u.Kind, u.Why)
	if u.Cure != "" {
		line += "; " + u.Cure
	}
	return line
}

// Open finds a sandbox that holds, and probes it from the inside before it says so. The
// error is *Unavailable unless ctx ended.
func Open(ctx context.Context, c Config) (*Sandbox, error) {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	switch c.Kind {
	case KindAuto, kindAutoWritten:
		return openFirst(ctx, c, KindBubblewrap, KindNamespaces)
	case KindBubblewrap, KindNamespaces, KindGVisor, KindDocker:
		return openProbed(ctx, c, c.Kind)
	case KindNone:
		return openNone(c)
	}
	return nil, &Unavailable{Kind: c.Kind, Why: "there is no such kind", Cure: "use one of: " + kindsInWords}
}

// openFirst takes the first of the kinds that holds.
func openFirst(ctx context.Context, c Config, kinds ...string) (*Sandbox, error) {
	var whys, cures []string
	for _, kind := range kinds {
		s, err := openProbed(ctx, c, kind)
		if err == nil {
			return s, nil
		}
		var u *Unavailable
		if !errors.As(err, &u) {
			return nil, err
		}
		c.Log.Info("sandbox kind does not hold here", "kind", kind, "why", u.Why)
		whys = append(whys, kind+": "+u.Why)
		cures = append(cures, u.Cure)
	}
	return nil, &Unavailable{Kind: kindAutoWritten, Why: strings.Join(whys, "; "), Cure: strings.Join(cures, "; or ")}
}

// openProbed opens one kind and runs the probes in it.
func openProbed(ctx context.Context, c Config, kind string) (*Sandbox, error) {
	w, err := newWay(ctx, c, kind)
	if err != nil {
		return nil, err
	}
	s := &Sandbox{kind: kind, way: w, log: c.Log, groups: findGroups()}
	if !w.world().Image || c.Toolchains != nil { // an image has its own
		s.tools = findToolchains(ctx, c.Toolchains)
	}
	err = s.prove(ctx)
	if err != nil && s.groups != nil && ctx.Err() == nil { // they were promised, and are not to be had
		s.groups = nil
		err = s.prove(ctx)
	}
	if err != nil {
		return nil, err
	}
	s.detail = w.describe() + ", " + s.groups.describe()
	c.Log.Info("sandbox holds", "sandbox", s.detail, "toolchains", s.tools.dirs)
	return s, nil
}

// openNone opens the kind that confines nothing.
func openNone(c Config) (*Sandbox, error) {
	c.Log.Warn("sandbox is off: commands run unconfined, with this program's own rights and network")
	return &Sandbox{kind: KindNone, way: none{}, log: c.Log, detail: "none: commands are not confined"}, nil
}

// Kind is the kind that was opened.
func (s *Sandbox) Kind() string { return s.kind }

// Describe says in one line what holds commands in, for the log and for people.
func (s *Sandbox) Describe() string { return s.detail }

// Command is the command args over the workspace, a directory of this machine.
func (s *Sandbox) Command(workspace string, args ...string) *Cmd {
	return &Cmd{sandbox: s, Workspace: workspace, Args: args}
}
