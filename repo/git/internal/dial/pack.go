package dial

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"
)

// NewPackWriter returns a writer that stores a received pack in the bare repository dir. It uses the
// index-pack command of the git program, which needs a fraction of the memory, or go-git's indexer if git is
// empty. Close finishes the pack.
func NewPackWriter(ctx context.Context, git, dir string) (io.WriteCloser, error) {
	if git == "" {
		return goPackWriter(dir)
	}
	w := &programPack{cmd: exec.CommandContext(ctx, git, "--git-dir", dir, "index-pack", "--stdin")}
	w.cmd.Env = append(gitEnvironment(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
	w.cmd.Stderr = &w.output
	w.cmd.WaitDelay = 2 * time.Second
	var err error
	if w.WriteCloser, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return w, w.cmd.Start()
}

type programPack struct {
	io.WriteCloser
	cmd    *exec.Cmd
	output OutputHead
}

func (p *programPack) Close() error {
	_ = p.WriteCloser.Close()
	if err := p.cmd.Wait(); err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		// the end of what it says was not read, but it succeeded
		return fmt.Errorf("index the pack: %w: %s", err, p.output.String())
	}
	return nil
}
