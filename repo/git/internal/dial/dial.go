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

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

const dialTimeout = 20 * time.Second

// A Dialer chooses the transport for a remote.
type Dialer struct {
	// the git program that serves repositories on this machine; if empty, go-git's server does
	Git string
	// timeout of an HTTP response without a byte
	Idle time.Duration
}

// A Line is a transport with address and credentials for one remote. No request has been sent on it yet.
type Line struct {
	transport transport.Transport
	endpoint  *transport.Endpoint
	auth      transport.AuthMethod
}

// LocalDir returns the git directory of a remote that is a path on this machine, or "" for other remotes.
func (l *Line) LocalDir() string {
	if l.endpoint.Protocol != "file" {
		return ""
	}
	return gitDir(l.endpoint.Path)
}

// OpenUpload starts a session that fetches from the remote.
func (l *Line) OpenUpload(ctx context.Context) (transport.UploadPackSession, error) {
	return openWithContext(ctx, func() (transport.UploadPackSession, error) {
		return l.transport.NewUploadPackSession(l.endpoint, l.auth)
	})
}

// OpenReceive starts a session that pushes to the remote.
func (l *Line) OpenReceive(ctx context.Context) (transport.ReceivePackSession, error) {
	return openWithContext(ctx, func() (transport.ReceivePackSession, error) {
		return l.transport.NewReceivePackSession(l.endpoint, l.auth)
	})
}

// Dial chooses the transport for the remote, and returns an error if its address or credentials cannot be
// used. The address and the credentials come from the caller alone: no git configuration can redirect them.
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

// httpClient returns a client that refuses redirects to another host, with or without credentials.
func httpClient(idle time.Duration) *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = idle
	t.DisableKeepAlives = true // each client makes one exchange and leaves no connection open
	return &http.Client{
		Transport: &idleTimeoutTransport{t, idle},
		CheckRedirect: func(req *http.Request, via []*http.Request) error {
			if from := via[0].URL; !sameHost(from, req.URL) {
				return &remote.RedirectError{To: req.URL.Host}
			}
			return nil
		},
	}
}

// sameHost reports whether two URLs have the same host and port. The usual redirect from http to https on the
// default ports counts as the same host.
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
	auth := &sshLogin{gitssh.PublicKeysCallback{
		User:     user,
		Callback: func() ([]ssh.Signer, error) { return sshSigners(ctx, r.Key) },
	}}
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

// sshLogin adds a connection timeout to the ssh client. go-git leaves the timeout to the operating system.
type sshLogin struct{ gitssh.PublicKeysCallback }

func (s *sshLogin) ClientConfig() (*ssh.ClientConfig, error) {
	c, err := s.PublicKeysCallback.ClientConfig()
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

// agentSigners returns the keys of the ssh agent. The connection to the agent stays open until ctx ends,
// because the signers use it.
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

// openWithContext calls open, which knows no context, and returns when open does or when ctx ends. In the
// second case, the session is closed as soon as open returns it.
func openWithContext[T io.Closer](ctx context.Context, open func() (T, error)) (T, error) {
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
