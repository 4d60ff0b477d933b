package sandbox

import (
	"context"
	"os"
	"path"
	"sync"
	"time"
)

// A foundShell is the shell of a sandbox, which is looked for once.
type foundShell struct {
	once sync.Once
	path string
}

// bashPaths are where bash is installed.
var bashPaths = []string{"/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"}

// Shell returns the program that runs command lines: the path of bash where commands can run it, else "sh".
// CI services and people write their lines for bash. dir is a directory of this machine; in a sandbox whose
// commands see the programs of an image, a command in it looks for bash once.
func (s *Sandbox) Shell(ctx context.Context, dir string) string {
	s.shell.once.Do(func() { s.shell.path = s.findShell(ctx, dir) })
	return s.shell.path
}

func (s *Sandbox) findShell(ctx context.Context, dir string) string {
	for _, file := range bashPaths {
		if s.backend.Environment().Image {
			c := s.Command(dir, file, "--norc", "-c", "exit 0")
			c.ReadOnly = true
			c.Limits.Time = 20 * time.Second
			if c.Run(context.WithoutCancel(ctx)) == nil {
				return file
			}
		} else if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
			return file
		}
	}
	return "sh"
}

// ShellName returns the name of Shell for people and models: bash or sh.
func (s *Sandbox) ShellName(ctx context.Context, dir string) string {
	return path.Base(s.Shell(ctx, dir))
}

// ShellCommand returns a Cmd that runs a script with Shell. The arguments are $1 and so on.
func (s *Sandbox) ShellCommand(ctx context.Context, workspace, script string, args ...string) *Cmd {
	program := s.Shell(ctx, workspace)
	words := []string{program, "-c", script, path.Base(program)}
	if program != "sh" {
		words = []string{program, "--norc", "-c", script, path.Base(program)}
	}
	return s.Command(workspace, append(words, args...)...)
}
