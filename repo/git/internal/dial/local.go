package dial

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// localTransport returns a transport for repositories on this machine. It uses the git program if git is not
// empty, so that the repository's hooks run as for any other push, or else go-git's server.
func localTransport(ctx context.Context, git string) transport.Transport {
	if git == "" {
		return serverTransport()
	}
	return &programTransport{ctx: ctx, git: git}
}

// programTransport runs git upload-pack and git receive-pack. go-git has a similar transport, but it passes
// the whole environment of this process, with its tokens, to the program and so to the hooks of the remote.
type programTransport struct {
	ctx context.Context
	git string
}

func (p *programTransport) NewUploadPackSession(
	ep *transport.Endpoint, _ transport.AuthMethod,
) (transport.UploadPackSession, error) {
	return p.start("upload-pack", ep.Path)
}

func (p *programTransport) NewReceivePackSession(
	ep *transport.Endpoint, _ transport.AuthMethod,
) (transport.ReceivePackSession, error) {
	return p.start("receive-pack", ep.Path)
}

func (p *programTransport) start(service, path string) (*programSession, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, transport.ErrRepositoryNotFound
	}
	s := &programSession{cmd: exec.CommandContext(p.ctx, p.git, service, path)}
	s.cmd.Env = gitEnvironment()
	s.cmd.Stderr = &s.output
	s.cmd.WaitDelay = 2 * time.Second
	var err error
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if s.stdout, err = s.cmd.StdoutPipe(); err != nil {
		return nil, err
	}
	return s, s.cmd.Start()
}

// gitEnvironment returns the environment of the git program: the variables that it needs to be found and to
// find its settings, and none that could hold a secret.
func gitEnvironment() []string {
	env := []string{"GIT_TERMINAL_PROMPT=0", "LC_ALL=C"}
	for _, name := range []string{"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "XDG_CONFIG_HOME"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

type programSession struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout io.ReadCloser
	output OutputHead
	refs   *packp.AdvRefs
	once   sync.Once
	ended  error
}

func (p *programSession) AdvertisedReferences() (*packp.AdvRefs, error) {
	return p.AdvertisedReferencesContext(context.Background())
}

func (p *programSession) AdvertisedReferencesContext(context.Context) (*packp.AdvRefs, error) {
	if p.refs != nil {
		return p.refs, nil
	}
	refs := packp.NewAdvRefs()
	err := refs.Decode(p.stdout)
	if errors.Is(err, packp.ErrEmptyAdvRefs) {
		return nil, transport.ErrEmptyRemoteRepository
	}
	if err != nil {
		return nil, p.failed(err)
	}
	transport.FilterUnsupportedCapabilities(refs.Capabilities)
	p.refs = refs
	return refs, nil
}

// failed ends the program and returns err, together with the program's error output if there is any.
func (p *programSession) failed(err error) error {
	_ = p.Close()
	if output := p.output.String(); output != "" {
		return &remote.ProgramError{Output: output, Err: err}
	}
	return err
}

func (p *programSession) UploadPack(
	_ context.Context, req *packp.UploadPackRequest,
) (*packp.UploadPackResponse, error) {
	if err := req.Validate(); err != nil {
		return nil, err
	}
	err := errors.Join(req.UploadRequest.Encode(p.stdin), req.UploadHaves.Encode(p.stdin, true))
	err = errors.Join(err, pktline.NewEncoder(p.stdin).Encodef("done\n"), p.stdin.Close())
	if err != nil {
		return nil, p.failed(err)
	}
	res := packp.NewUploadPackResponse(req)
	if err := res.Decode(p.stdout); err != nil {
		return nil, p.failed(err)
	}
	return res, nil
}

func (p *programSession) ReceivePack(
	_ context.Context, req *packp.ReferenceUpdateRequest,
) (*packp.ReportStatus, error) {
	if err := errors.Join(req.Encode(p.stdin), p.stdin.Close()); err != nil {
		return nil, p.failed(err)
	}
	var r io.Reader = p.stdout
	if req.Capabilities.Supports(capability.Sideband64k) {
		demux := sideband.NewDemuxer(sideband.Sideband64k, p.stdout)
		demux.Progress = req.Progress
		r = demux
	}
	report := packp.NewReportStatus()
	if err := report.Decode(r); err != nil {
		return nil, p.failed(err)
	}
	_, _ = io.Copy(io.Discard, r)
	if err := report.Error(); err != nil {
		return report, p.failed(err)
	}
	return report, p.Close()
}

// Close closes the input of the program, which makes the program exit, and waits for its end. The exit code
// is ignored, because the protocol has already reported every failure, and so is an end of what it
// says that was not read in time.
func (p *programSession) Close() error {
	p.once.Do(func() {
		if p.refs != nil {
			_, _ = p.stdin.Write(pktline.FlushPkt)
		}
		_ = p.stdin.Close()
		_, _ = io.Copy(io.Discard, p.stdout)
		var exit *exec.ExitError
		if err := p.cmd.Wait(); err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
			p.ended = err
		}
	})
	return p.ended
}

// An OutputHead keeps the first 16 KiB that are written to it. One goroutine may read it while another one
// writes.
type OutputHead struct {
	mu sync.Mutex
	b  bytes.Buffer
}

const headSize = 16 << 10

func (o *OutputHead) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.b.Write(p[:min(len(p), max(0, headSize-o.b.Len()))])
	return len(p), nil
}

func (o *OutputHead) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.TrimSpace(o.b.String())
}
