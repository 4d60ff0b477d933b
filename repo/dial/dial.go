package dial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
	gitssh "github.com/go-git/go-git/v5/plumbing/transport/ssh"
	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"github.com/bobbinhq/bobbin/repo/remote"
)

const dialTimeout = 20 * time.Second

// Dialer opens lines to remotes.
type Dialer struct {
	Git  string        // the git program for repositories on this machine; empty: go-git's own server
	Idle time.Duration // without a byte over http a remote is given up
}

// Line is the way to one remote, chosen but not yet asked anything.
type Line struct {
	transport transport.Transport
	endpoint  *transport.Endpoint
	auth      transport.AuthMethod
}

// LocalDir is the git directory of a remote that is a path on this machine, else "".
func (l *Line) LocalDir() string {
	if l.endpoint.Protocol != "file" {
		return ""
	}
	return gitDir(l.endpoint.Path)
}

// OpenUpload begins what fetches from the remote.
func (l *Line) OpenUpload(ctx context.Context) (transport.UploadPackSession, error) {
	return within(ctx, func() (transport.UploadPackSession, error) {
		return l.transport.NewUploadPackSession(l.endpoint, l.auth)
	})
}

// OpenReceive begins what pushes to the remote.
func (l *Line) OpenReceive(ctx context.Context) (transport.ReceivePackSession, error) {
	return within(ctx, func() (transport.ReceivePackSession, error) {
		return l.transport.NewReceivePackSession(l.endpoint, l.auth)
	})
}

// Dial chooses the transport. The remote's address and credentials come from
// the caller alone: no git configuration can send them elsewhere.
func (d Dialer) Dial(ctx context.Context, r remote.Remote, c remote.Credential) (*Line, error) {
	ep, err := transport.NewEndpoint(r.URL)
	if err != nil {
		return nil, fmt.Errorf("the address %s cannot be read", remote.Redact(r.URL))
	}
	l := &Line{endpoint: ep}
	switch ep.Protocol {
	case "file":
		l.transport = localTransport(ctx, d.Git)
	case "ssh":
		l.transport = gitssh.NewClient(nil)
		l.auth, err = sshAuth(ctx, ep, r)
	case "https", "http":
		l.transport = githttp.NewClient(httpClient(d.Idle))
		l.auth, err = tokenAuth(ep, c)
	default:
		err = fmt.Errorf("%s addresses are not supported: use https, ssh or a path", ep.Protocol)
	}
	return l, err
}

// httpClient refuses to be sent to another host, with or without credentials.
func httpClient(idle time.Duration) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = idle
	t.DisableKeepAlives = true // one exchange, nothing left open behind it
	return &http.Client{Transport: &attentive{t, idle}, CheckRedirect: func(req *http.Request, via []*http.Request) error {
		if from := via[0].URL; !sameHost(from, req.URL) {
			return &remote.RedirectError{To: req.URL.Host}
		}
		return nil
	}}
}

// sameHost takes another port for another host, but for the usual step up to https.
func sameHost(from, to *url.URL) bool {
	if !strings.EqualFold(from.Hostname(), to.Hostname()) {
		return false
	}
	return from.Port() == to.Port() || from.Scheme == to.Scheme && port(from) == port(to)
}

func port(u *url.URL) string {
	return cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme])
}

func tokenAuth(ep *transport.Endpoint, c remote.Credential) (transport.AuthMethod, error) {
	if c.Password == "" {
		return nil, nil
	}
	if ep.Protocol == "http" && !isLoopback(ep.Host) {
		return nil, errors.New("a token is not sent over plain http: use https")
	}
	return &githttp.BasicAuth{Username: remote.BasicUser, Password: string(c.Password)}, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func sshAuth(ctx context.Context, ep *transport.Endpoint, r remote.Remote) (transport.AuthMethod, error) {
	user := ep.User
	if user == "" {
		user = gitssh.DefaultUsername
	}
	auth := &sshLogin{gitssh.PublicKeysCallback{User: user, Callback: func() ([]ssh.Signer, error) { return sshSigners(ctx, r.Key) }}}
	if r.KnownHosts == "" {
		return auth, nil
	}
	db, err := gitssh.NewKnownHostsDb(r.KnownHosts)
	if err != nil {
		return nil, err
	}
	port := ep.Port
	if port == 0 {
		port = gitssh.DefaultPort
	}
	auth.HostKeyCallback = db.HostKeyCallback()
	auth.HostKeyAlgorithms = db.HostKeyAlgorithms(net.JoinHostPort(ep.Host, fmt.Sprint(port)))
	return auth, nil
}

// sshLogin gives up on a host that does not answer, which go-git leaves to the
// system.
type sshLogin struct{ gitssh.PublicKeysCallback }

func (l *sshLogin) ClientConfig() (*ssh.ClientConfig, error) {
	c, err := l.PublicKeysCallback.ClientConfig()
	if err == nil {
		c.Timeout = dialTimeout
	}
	return c, err
}

func sshSigners(ctx context.Context, key string) ([]ssh.Signer, error) {
	if key != "" {
		signer, err := keyFile(key)
		if err != nil {
			return nil, fmt.Errorf("the key %s: %w", key, err)
		}
		return []ssh.Signer{signer}, nil
	}
	signers := agentSigners(ctx)
	home, _ := os.UserHomeDir()
	for _, name := range []string{"id_ed25519", "id_ecdsa", "id_rsa"} {
		if signer, err := keyFile(filepath.Join(home, ".ssh", name)); err == nil {
			signers = append(signers, signer)
		}
	}
	if len(signers) == 0 {
		return nil, errors.New("no ssh key: no agent has one, and ~/.ssh holds none without a passphrase")
	}
	return signers, nil
}

func keyFile(path string) (ssh.Signer, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return ssh.ParsePrivateKey(b)
}

// agentSigners keeps its connection to the agent until the exchange that ctx
// stands for is over.
func agentSigners(ctx context.Context) []ssh.Signer {
	socket := os.Getenv("SSH_AUTH_SOCK")
	if socket == "" {
		return nil
	}
	conn, err := net.DialTimeout("unix", socket, time.Second)
	if err != nil {
		return nil
	}
	context.AfterFunc(ctx, func() { _ = conn.Close() })
	signers, err := agent.NewClient(conn).Signers()
	if err != nil {
		return nil
	}
	return signers
}

// within opens a session that does not know contexts, and leaves it behind to
// be closed when the context ends first.
func within[T io.Closer](ctx context.Context, open func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		v, err := open()
		done <- result{v, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		go func() {
			if late := <-done; late.err == nil {
				_ = late.value.Close()
			}
		}()
		var none T
		return none, ctx.Err()
	}
}
