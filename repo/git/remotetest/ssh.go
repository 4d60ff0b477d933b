package remotetest

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/pem"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// ServeSSH serves the origin over a real ssh server that runs git's own services, and returns a Remote with
// a key that it accepts.
func (o *Origin) ServeSSH(t *testing.T) remote.Remote {
	t.Helper()
	NeedGit(t)
	host, client := newSigner(t), newSigner(t)
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if string(key.Marshal()) == string(client.Signer.PublicKey().Marshal()) {
			return nil, nil
		}
		return nil, os.ErrPermission
	}}
	config.AddHostKey(host.Signer)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serveConn(conn, config)
		}
	}()
	dir := t.TempDir()
	key, known := filepath.Join(dir, "key"), filepath.Join(dir, "known_hosts")
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(client.Block), 0o600))
	addr := listener.Addr().(*net.TCPAddr)
	line := "[127.0.0.1]:" + strings.TrimPrefix(addr.String(), "127.0.0.1:") + " " + string(ssh.MarshalAuthorizedKey(host.Signer.PublicKey()))
	require.NoError(t, os.WriteFile(known, []byte(line), 0o600))
	return remote.Remote{Name: "shop", URL: "ssh://git@" + addr.String() + o.Dir, Key: key, KnownHosts: known}
}

type keyPair struct {
	Signer ssh.Signer
	Block  *pem.Block
}

func newSigner(t *testing.T) keyPair {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	signer, err := ssh.NewSignerFromKey(private)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(private, "")
	require.NoError(t, err)
	return keyPair{signer, block}
}

func serveConn(conn net.Conn, config *ssh.ServerConfig) {
	_, channels, requests, err := ssh.NewServerConn(conn, config)
	if err != nil {
		return
	}
	go ssh.DiscardRequests(requests)
	for fresh := range channels {
		channel, asked, err := fresh.Accept()
		if err != nil {
			return
		}
		go serveChannel(channel, asked)
	}
}

func serveChannel(channel ssh.Channel, asked <-chan *ssh.Request) {
	defer func() { _ = channel.Close() }()
	for req := range asked {
		if req.Type != "exec" {
			_ = req.Reply(false, nil)
			continue
		}
		_ = req.Reply(true, nil)
		service, path, _ := strings.Cut(string(req.Payload[4:]), " ")
		cmd := exec.Command("git", "-c", "safe.directory=*", strings.TrimPrefix(service, "git-"), strings.Trim(path, "'"))
		cmd.Stdout, cmd.Stderr = channel, channel.Stderr()
		stdin, err := cmd.StdinPipe() // not cmd.Stdin: Run would wait until the client closes its side
		if err != nil {
			return
		}
		go func() {
			_, _ = io.Copy(stdin, channel)
			_ = stdin.Close()
		}()
		status := byte(0)
		if err := cmd.Run(); err != nil {
			status = 128
		}
		_, _ = channel.SendRequest("exit-status", false, []byte{0, 0, 0, status})
		return
	}
}
