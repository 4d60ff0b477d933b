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

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/toolchain"
)

// Marker is the argument that makes this program run the probes.
const Marker = "bobbin-sandbox-probe"

// ProgramPath is the path of the program inside while it runs the probes.
const ProgramPath = "/run/probe"

// A Finding is the result of one probe.
type Finding struct {
	Probe string
	Fault string // "" if the protection holds
}

// A bait lists things of the machine that exist now and that a command must not reach.
type bait struct {
	Port     int      // a TCP port with a listener on the machine's loopback
	Abstract string   // an abstract socket of the machine with a listener
	Files    []string // existing files of the machine
	Socket   string   // a socket file of the machine
	Booted   string   // the kernel's command line
	Pid      int      // this program's process
	Environ  string   // hash of this program's environment
	Inside   backend.Environment
	Host     string // the machine's host name
}

// String returns the bait in the form that the probes read.
func (b bait) String() string {
	text, _ := json.Marshal(b) // strings and numbers
	return string(text)
}

// LayBait creates what the probes try to reach. It returns the bait and a function that removes the
// listeners.
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
		Port:     loopback.Addr().(*net.TCPAddr).Port,
		Abstract: name,
		Socket:   filepath.Join(dir, "socket"),
		Pid:      os.Getpid(),
		Inside:   e,
		Files:    []string{secret, dir, "/etc/shadow"},
	}
	if !e.Image { // an image has such directories, too
		b.Files = append(b.Files, "/var/log", "/boot", "/sys/kernel")
	}
	lift := []io.Closer{loopback, abstract}
	if file, err := net.Listen("unix", b.Socket); err == nil {
		// skipped if the path of temporary files is too long for a socket
		lift = append(lift, file)
		os.Chmod(b.Socket, 0o777) //nolint:errcheck // its directory is closed anyhow
	}
	booted, _ := os.ReadFile("/proc/cmdline")
	b.Booted = string(booted)
	environ, _ := os.ReadFile("/proc/self/environ")
	b.Environ = hashText(environ)
	b.Host, _ = os.Hostname()
	here, err := os.Getwd()
	inTools := slices.ContainsFunc(shown,
		func(dir string) bool { return here == dir || strings.HasPrefix(here, dir+"/") })
	if err == nil && !inTools && !toolchain.IsAlwaysShown(here) && here != "/" && here != "/tmp" {
		// these directories exist inside, too
		b.Files = append(b.Files, here)
	}
	return b, func() {
		for _, c := range lift {
			c.Close()
		}
	}, nil
}

// tryAll runs all probes and prints the findings.
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
	json.NewEncoder(os.Stdout).Encode(out) //nolint:errcheck // the reader counts them
}

// init runs the probes if this process was started for that, and then does not return.
func init() {
	if len(os.Args) == 3 && os.Args[1] == Marker {
		tryAll(os.Args[2])
		syscall.Exit(0)
	}
}

// ReadFindings parses the findings that were printed inside.
func ReadFindings(text []byte) ([]Finding, error) {
	var findings []Finding
	if err := json.Unmarshal(text, &findings); err != nil || len(findings) != len(probes) {
		return nil, fmt.Errorf("the probes gave no findings: %.200q", text)
	}
	return findings, nil
}
