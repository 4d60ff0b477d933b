package probe

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/bobbinhq/bobbin/repo/sandbox/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/toolchain"
)

// Marker is the argument that tells this program to try the walls from the inside.
const Marker = "bobbin-sandbox-probe"

// ProgramPath is where the program stands inside while it does.
const ProgramPath = "/run/probe"

// A Finding is what one probe saw.
type Finding struct {
	Probe string
	Fault string // "" where the wall held
}

// A bait is what a command must not reach: things of the machine that are there now.
type bait struct {
	Port     int      // listens on the machine's loopback
	Abstract string   // listens on an abstract socket of the machine
	Files    []string // exist on the machine
	Socket   string   // a socket file of the machine
	Booted   string   // the kernel's command line
	Pid      int      // this program
	Environ  string   // the digest of its environment
	Inside   backend.Environment
	Host     string // the machine's name
}

// String is the bait as the probes read it.
func (b bait) String() string {
	text, _ := json.Marshal(b) // strings and numbers
	return string(text)
}

// LayBait puts out what the probes try to reach.
func LayBait(dir string, shown []string, e backend.Environment) (bait, func(), error) {
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
		Port: loopback.Addr().(*net.TCPAddr).Port, Abstract: name, Socket: filepath.Join(dir, "socket"), Pid: os.Getpid(), Inside: e,
		Files: []string{secret, dir, "/etc/shadow"},
	}
	if !e.Image { // an image has such directories of its own
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
	b.Environ = hashText(environ)
	b.Host, _ = os.Hostname()
	here, err := os.Getwd()
	inTools := slices.ContainsFunc(shown, func(dir string) bool { return here == dir || strings.HasPrefix(here, dir+"/") })
	if err == nil && !inTools && !toolchain.IsAlwaysShown(here) && here != "/" && here != "/tmp" { // those are there inside, too
		b.Files = append(b.Files, here)
	}
	return b, func() {
		for _, c := range lift {
			c.Close()
		}
	}, nil
}

// tryAll tries every wall and prints what it found.
func tryAll(text string) {
	var b bait
	if err := json.Unmarshal([]byte(text), &b); err != nil {
		fmt.Fprintln(os.Stderr, "sandbox: probe:", err)
		os.Exit(1)
	}
	var out []Finding
	for _, p := range probes {
		f := Finding{Probe: p.name}
		if err := p.try(b); err != nil {
			f.Fault = err.Error()
		}
		out = append(out, f)
	}
	json.NewEncoder(os.Stdout).Encode(out) //nolint:errcheck // whoever reads it counts them
}

// init tries the walls if this process was started for that, and does not return then.
func init() {
	if len(os.Args) == 3 && os.Args[1] == Marker {
		tryAll(os.Args[2])
		syscall.Exit(0)
	}
}

// ReadFindings reads what was printed inside.
func ReadFindings(text []byte) ([]Finding, error) {
	var findings []Finding
	if err := json.Unmarshal(text, &findings); err != nil || len(findings) != len(probes) {
		return nil, fmt.Errorf("the probes gave no findings: %.200q", text)
	}
	return findings, nil
}
