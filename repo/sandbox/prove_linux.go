package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/probe"
)

// runProbes runs the probes in the sandbox, as a normal command. Its error names the probes that failed.
func (s *Sandbox) runProbes(ctx context.Context) error {
	findings, err := s.findFaults(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return newUnavailable(s.kind, s.backend, err)
	}
	var faults []string
	for _, f := range findings {
		if f.Fault != "" {
			faults = append(faults, f.Probe+": "+f.Fault)
		}
	}
	if len(faults) > 0 {
		err := fmt.Errorf("%d of %d probes did not hold: %s", len(faults), len(findings), strings.Join(faults, ", "))
		return newUnavailable(s.kind, s.backend, err)
	}
	return nil
}

// findFaults lays the bait, runs the probes in the sandbox and returns their findings.
func (s *Sandbox) findFaults(ctx context.Context) ([]probe.Finding, error) {
	dir, err := os.MkdirTemp("", "bobbin-probe-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	bait, lift, err := probe.LayBait(dir, s.tools.Dirs, s.backend.Environment())
	if err != nil {
		return nil, err
	}
	defer lift()
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
	c := s.Command(workspace, probe.ProgramPath, probe.Marker, bait.String())
	c.files = []backend.File{backend.ProgramFile(probe.ProgramPath, self)}
	return runProbeCommand(ctx, c)
}

// runProbeCommand runs the command of the probes and parses the findings that it prints.
func runProbeCommand(ctx context.Context, c *Cmd) ([]probe.Finding, error) {
	var stdout, stderr bytes.Buffer
	c.Stdout, c.Stderr, c.Limits.Time = &stdout, &stderr, time.Minute
	if err := c.Run(ctx); err != nil {
		return nil, fmt.Errorf("%w %s", err, strings.TrimSpace(stderr.String()))
	}
	findings, err := probe.ReadFindings(stdout.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%w%q", err, stderr.String())
	}
	return findings, nil
}
