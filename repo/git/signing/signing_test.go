package signing

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/pem"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/crypto/ssh"
)

func newKey(t *testing.T) *Key {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	block, err := ssh.MarshalPrivateKey(private, "")
	require.NoError(t, err)
	k, err := ParseKey(pem.EncodeToMemory(block))
	require.NoError(t, err)
	return k
}

// TestOpenSSHVerifiesASignature has ssh-keygen check signatures, of the same bytes and of others.
func TestOpenSSHVerifiesASignature(t *testing.T) {
	t.Parallel()
	k := newKey(t)
	dir := t.TempDir()
	text := []byte("tree 0000\n\nFix it\n")
	signature, err := k.Sign(text)
	require.NoError(t, err)
	again, err := k.Sign(text)
	require.NoError(t, err)
	require.Equal(t, signature, again, "the same bytes have the same signature")
	for name, content := range map[string]string{
		"sig": signature, "allowed": "bot@example.com " + k.Public() + "\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
	}
	verify := func(text, namespace string) error {
		cmd := exec.CommandContext(t.Context(), "ssh-keygen", "-Y", "verify", "-f",
			filepath.Join(dir, "allowed"), "-I", "bot@example.com", "-n", namespace, "-s",
			filepath.Join(dir, "sig"))
		cmd.Stdin = strings.NewReader(text)
		out, err := cmd.CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
	require.NoError(t, verify(string(text), "git"))
	require.Error(t, verify(string(text)+"x", "git"))
	require.Error(t, verify(string(text), "file"))
}

// TestOtherKeysAreRefused checks that each wrong file has a line that says the cure and holds nothing of it.
func TestOtherKeysAreRefused(t *testing.T) {
	t.Parallel()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	require.NoError(t, err)
	locked, err := ssh.MarshalPrivateKeyWithPassphrase(private, "", []byte("secret"))
	require.NoError(t, err)
	large, err := rsa.GenerateKey(rand.Reader, 2048)
	require.NoError(t, err)
	other, err := ssh.MarshalPrivateKey(large, "")
	require.NoError(t, err)
	for want, text := range map[string][]byte{
		"the key has a passphrase":          pem.EncodeToMemory(locked),
		"not of the kind ed25519":           pem.EncodeToMemory(other),
		"it holds no private key":           []byte("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 bot"),
		"it holds no private key of OpenSS": nil,
	} {
		_, err := ParseKey(text)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "ssh-keygen -t ed25519")
		require.NotContains(t, err.Error(), "AAAA")
	}
}

func TestAKeyIsNeverShown(t *testing.T) {
	t.Parallel()
	k := newKey(t)
	var b strings.Builder
	slog.New(slog.NewTextHandler(&b, nil)).Info("a key", "key", k)
	for _, shown := range []string{fmt.Sprint(k), fmt.Sprintf("%+v %#v", k, k), b.String()} {
		require.Contains(t, shown, "[signing key]")
	}
}
