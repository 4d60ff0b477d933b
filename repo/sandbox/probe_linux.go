package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// probeMarker is the argument that tells Main to try the walls from the inside.
const probeMarker = "bobbin-sandbox-probe"

// probeFile is where the program stands inside while it does.
const probeFile = "/run/probe"

// A finding is what one probe saw.
type finding struct {
	Probe string
	Fault string // "" where the wall held
}

// bait is what a command must not reach: things of the machine that are there now.
type bait struct {
	Port     int      // listens on the machine's loopback
	Abstract string   // listens on an abstract socket of the machine
	Files    []string // exist on the machine
	Socket   string   // a socket file of the machine
	Booted   string   // the kernel's command line
	Pid      int      // this program
	Environ  string   // the digest of its environment
	World    world
	Host     string // the machine's name
}

// newWay is the kind by name.
func newWay(ctx context.Context, c Config, kind string) (way, error) {
	switch kind {
	case KindBubblewrap:
		return newBubblewrap()
	case KindGVisor:
		return newGVisor(ctx, c.Runsc)
	case KindDocker:
		return newDocker(ctx, c)
	}
	return namespaces{}, nil
}

// prove runs the probes inside, as any command is run. The error says which did not hold.
func (s *Sandbox) prove(ctx context.Context) error {
	findings, err := s.probe(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return unavailable(s.kind, err)
	}
	var faults []string
	for _, f := range findings {
		if f.Fault != "" {
			faults = append(faults, f.Probe+": "+f.Fault)
		}
	}
	if len(faults) > 0 {
		return unavailable(s.kind, fmt.Errorf("%d of %d probes did not hold: %s", len(faults), len(findings), strings.Join(faults, ", ")))
	}
	return nil
}

// probe lays the bait and collects what the probes inside find.
func (s *Sandbox) probe(ctx context.Context) ([]finding, error) {
	dir, err := os.MkdirTemp("", "bobbin-probe-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	b, lifted, err := layBait(dir, s.tools.dirs, s.way.world())
	if err != nil {
		return nil, err
	}
	defer lifted()
	workspace := filepath.Join(dir, "src")
	if err := os.Mkdir(workspace, 0o755); err != nil {
		return nil, err
	}
	if err := s.Own(workspace); err != nil {
		return nil, err
	}
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		return nil, err
	}
	defer self.Close()
	c := s.Command(workspace, probeFile, probeMarker, b.String())
	c.files = []insideFile{{Inside: probeFile, Mode: 0o555, source: self}}
	return runProbes(ctx, c)
}

// runProbes runs the command that is to print findings.
func runProbes(ctx context.Context, c *Cmd) ([]finding, error) {
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr, c.Limits.Time = &stdout, &stderr, time.Minute
	if err := c.Run(ctx); err != nil {
		return nil, fmt.Errorf("%w %s", err, strings.TrimSpace(stderr.String()))
	}
	var findings []finding
	if err := json.Unmarshal(stdout.Bytes(), &findings); err != nil || len(findings) != len(probes) {
		return nil, fmt.Errorf("the probes gave no findings: %.200q", stdout.String()+stderr.String())
	}
	return findings, nil
}

// String is the bait as the probes read it.
func (b bait) String() string {
	text, _ := json.Marshal(b) // strings and numbers
	return string(text)
}

// layBait puts out what the probes try to reach.
func layBait(dir string, shown []string, w world) (bait, func(), error) {
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o644); err != nil {
		return bait{}, nil, err
	}
	loopback, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return bait{}, nil, err
	}
	name := fmt.Sprintf("@bobbin-%d-%s", loopback.Addr().(*net.TCPAddr).Port, filepath.Base(dir))
	abstract, err := net.Listen("unix", name)
	if err != nil {
		loopback.Close()
		return bait{}, nil, err
	}
	b := bait{
		Port: loopback.Addr().(*net.TCPAddr).Port, Abstract: name, Socket: filepath.Join(dir, "socket"), Pid: os.Getpid(), World: w,
		Files: []string{secret, dir, "/etc/shadow"},
	}
	if !w.Image { // an image has such directories of its own
		b.Files = append(b.Files, "/var/log", "/boot", "/sys/kernel")
	}
	lift := []io.Closer{loopback, abstract}
	if file, err := net.Listen("unix", b.Socket); err == nil { // where temporary files lie too deep for a socket there is none
		lift = append(lift, file)
		os.Chmod(b.Socket, 0o777) //nolint:errcheck // its directory is closed anyhow
	}
	booted, _ := os.ReadFile("/proc/cmdline")
	b.Booted = string(booted)
	environ, _ := os.ReadFile("/proc/self/environ")
	b.Environ = digest(environ)
	b.Host, _ = os.Hostname()
	here, err := os.Getwd()
	inTools := slices.ContainsFunc(shown, func(dir string) bool { return here == dir || strings.HasPrefix(here, dir+"/") })
	if err == nil && !inTools && !seenAnyhow(here) && here != "/" && here != "/tmp" { // those are there inside, too
		b.Files = append(b.Files, here)
	}
	return b, func() {
		for _, c := range lift {
			c.Close()
		}
	}, nil
}

// probeInside tries every wall and prints what it found.
func probeInside(text string) {
	var b bait
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		fmt.Fprintln(os.Stderr, "sandbox: probe:", err)
		os.Exit(1)
	}
	var out []finding
	for _, p := range probes {
		f := finding{Probe: p.name}
		if err := p.try(b); err != nil {
			f.Fault = err.Error()
		}
		out = append(out, f)
	}
	json.NewEncoder(os.Stdout).Encode(out) //nolint:errcheck // whoever reads it counts them
}
