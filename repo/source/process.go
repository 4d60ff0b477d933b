package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// endTime is how long a process has to end by itself, and again after SIGTERM.
const endTime = time.Second

// A process is a server that this program has started. It runs as the user of this program, outside of the
// sandbox, in a process group of its own.
type process struct {
	cmd    *exec.Cmd
	most   int64 // bytes that it may write for one call
	stdin  io.WriteCloser
	stdout *meter
	stderr *tail
	ended  chan struct{}
	failed error // of cmd.Wait; read it after ended
	once   sync.Once
}

// startProcess starts the command of a source. Its environment holds what the source names, and nothing else.
func startProcess(c Config, most int64) (*process, error) {
	wrong := func(err error) error {
		return &Error{
			Source: c.Name,
			Reason: plaintext.SafeLine("cannot be started: "+err.Error(), maxReason),
			Cure:   "correct command; a script may need a PATH in env",
		}
	}
	path, err := exec.LookPath(c.Command[0])
	if err != nil {
		return nil, wrong(err)
	}
	p := &process{cmd: exec.Command(path, c.Command[1:]...), most: most, ended: make(chan struct{})}
	p.cmd.Env = append([]string{}, c.Env...) // nil would be this program's own environment
	p.cmd.Dir = "/"
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	p.cmd.WaitDelay = endTime
	p.stderr = &tail{}
	p.cmd.Stderr = p.stderr
	if p.stdin, err = p.cmd.StdinPipe(); err != nil {
		return nil, wrong(err)
	}
	reader, writer := io.Pipe()
	p.cmd.Stdout = writer
	p.stdout = &meter{PipeReader: reader}
	p.begin()
	if err := p.cmd.Start(); err != nil {
		return nil, wrong(err)
	}
	go func() {
		p.failed = p.cmd.Wait()
		_ = writer.Close()
		close(p.ended)
	}()
	return p, nil
}

// Connect connects to the process over its standard input and output.
func (p *process) Connect(ctx context.Context) (mcp.Connection, error) {
	t := &mcp.IOTransport{Reader: p.stdout, Writer: p.stdin, MaxLineLength: int(p.most)}
	return t.Connect(ctx)
}

func (p *process) begin() { p.stdout.left.Store(p.most) }

// explain says how the process ended, if it did, with the last lines of its standard error.
func (p *process) explain(err error) (reason, cure string) {
	if errors.Is(err, errTooLarge) || p.stdout.left.Load() <= 0 {
		return tooLarge()
	}
	select {
	case <-p.ended:
	case <-time.After(endTime / 4): // its output may be closed just before it has ended
		return "", ""
	}
	said := p.stderr.String()
	if errors.Is(p.failed, io.ErrClosedPipe) || p.failed == nil && said == "" { // its output may be no MCP
		return "", ""
	}
	how := "ended"
	if p.failed != nil {
		how = "ended with " + p.failed.Error()
	}
	if said != "" {
		how += ": " + said
	}
	return how, "run its command by hand with only the variables of env; npx and scripts need a PATH there"
}

func (p *process) noMCP() string {
	return "run its command by hand: on standard output it may write MCP alone; some programs need an " +
		"argument for stdio"
}

// close ends the process and everything that it has started.
func (p *process) close() {
	p.once.Do(func() {
		_ = p.stdin.Close()
		for _, signal := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
			select {
			case <-p.ended:
			case <-time.After(endTime):
			}
			_ = syscall.Kill(-p.cmd.Process.Pid, signal) // it fails when all of them have ended
		}
		_ = p.stdout.PipeReader.Close()
		<-p.ended
	})
}

// A meter reads what a process writes, and ends with errTooLarge after left bytes.
type meter struct {
	*io.PipeReader
	left atomic.Int64
}

func (m *meter) Read(b []byte) (int, error) {
	left := m.left.Load()
	if left <= 0 {
		return 0, errTooLarge
	}
	n, err := m.PipeReader.Read(b[:min(int64(len(b)), left)])
	m.left.Add(int64(-n))
	return n, err
}

// maxTail is how many bytes of a process' standard error are kept.
const maxTail = 4 << 10

// A tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if over := len(t.text) - maxTail; over > 0 {
		t.text = append(t.text[:0], t.text[over:]...)
	}
	return len(b), nil
}

// String returns the last lines as one line.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(plaintext.StripTerminal(string(t.text))), "\n")
	return fmt.Sprint(plaintext.OneLine(strings.Join(lines[max(0, len(lines)-3):], " ")))
}
