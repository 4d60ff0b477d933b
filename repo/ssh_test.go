package repo

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
)

// serveSSH puts the origin behind a real ssh server that runs git's own
// services, and gives a remote that may use it.
func (o *origin) serveSSH(t *testing.T) Remote {
	t.Helper()
	needGit(t)
	host, client := newSigner(t), newSigner(t)
	config := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
		if string(key.Marshal()) == string(client.signer.PublicKey().Marshal()) {
			return nil, nil
		}
		return nil, os.ErrPermission
	}}
	config.AddHostKey(host.signer)
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
	require.NoError(t, os.WriteFile(key, pem.EncodeToMemory(client.block), 0o600))
	addr := listener.Addr().(*net.TCPAddr)
	line := "[127.0.0.1]:" + strings.TrimPrefix(addr.String(), "127.0.0.1:") + " " + string(ssh.MarshalAuthorizedKey(host.signer.PublicKey()))
	require.NoError(t, os.WriteFile(known, []byte(line), 0o600))
	return Remote{Name: "shop", URL: "ssh://git@" + addr.String() + o.dir, Key: key, KnownHosts: known}
}

type keyPair struct {
	signer ssh.Signer
	block  *pem.Block
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
		stdin, err := cmd.StdinPipe() // not cmd.Stdin: Run would wait for the client's end
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

func TestSSHSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	o := shop(t)
	right := o.serveSSH(t)
	open := func(r Remote) *RemoteError {
		_, err := (&Mirrors{Dir: t.TempDir(), Log: quiet()}).Open(ctx0(), r)
		return refusal(t, err)
	}
	stranger := right
	stranger.KnownHosts = filepath.Join(t.TempDir(), "known_hosts")
	require.NoError(t, os.WriteFile(stranger.KnownHosts, nil, 0o600))
	require.Contains(t, open(stranger).Reason, "host key is not known")

	swapped := right
	swapped.KnownHosts = o.serveSSH(t).KnownHosts
	b, err := os.ReadFile(swapped.KnownHosts)
	require.NoError(t, err)
	_, key, _ := strings.Cut(string(b), " ")
	place, _, _ := strings.Cut(strings.TrimPrefix(right.URL, "ssh://git@127.0.0.1:"), "/")
	require.NoError(t, os.WriteFile(swapped.KnownHosts, []byte("[127.0.0.1]:"+place+" "+key), 0o600))
	require.Contains(t, open(swapped).Reason, "not the one that is known")

	other := right
	other.Key = o.serveSSH(t).Key
	require.Contains(t, open(other).Reason, "accepts none of our keys")

	missing := right
	missing.Key = filepath.Join(t.TempDir(), "none")
	require.Contains(t, open(missing).Reason, "key")

	nowhere := right
	nowhere.URL += "-not"
	require.Contains(t, open(nowhere).Reason, "no such repository")
}
