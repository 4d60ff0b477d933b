// Package signing signs commits with an ed25519 key of OpenSSH, in the format that git calls ssh (SSHSIG).
// Such a signature depends on nothing but the key and the bytes: the same commit is signed the same way each
// time. Keys of other kinds, of which signatures differ each time, are refused.
package signing

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"golang.org/x/crypto/ssh"
)

// A Key signs commits. It is never shown by code that formats or logs values.
type Key struct{ signer ssh.Signer }

// ParseKey reads a private key in the format of OpenSSH. Its errors hold nothing of the text.
func ParseKey(text []byte) (*Key, error) {
	raw, err := ssh.ParseRawPrivateKey(text)
	var locked *ssh.PassphraseMissingError
	switch {
	case errors.As(err, &locked):
		return nil, errors.New("the key has a passphrase, which nobody could type here; make a key for " +
			"the bot alone, without one: " + MakeKey)
	case err != nil:
		return nil, errors.New("it holds no private key of OpenSSH; make one: " + MakeKey)
	}
	private, ok := raw.(*ed25519.PrivateKey)
	if !ok {
		return nil, errors.New("the key is not of the kind ed25519, of which alone a signature is the same " +
			"each time; make one: " + MakeKey)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		return nil, errors.New("the key cannot be used")
	}
	return &Key{signer: signer}, nil
}

// MakeKey is the command that makes a key.
const MakeKey = "ssh-keygen -t ed25519 -N '' -C bobbin -f FILE"

// String hides the key.
func (*Key) String() string { return "[signing key]" }

// GoString hides the key.
func (*Key) GoString() string { return "[signing key]" }

// LogValue hides the key.
func (*Key) LogValue() slog.Value { return slog.StringValue("[signing key]") }

// Public returns the public key as hosts take it: ssh-ed25519 AAAA…
func (k *Key) Public() string {
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(k.signer.PublicKey())))
}

// namespace is what git signs for. A signature for one thing is none for another.
const namespace = "git"

// Sign returns the signature of a commit, given the bytes of the commit without it.
func (k *Key) Sign(commit []byte) (signature string, err error) {
	sum := sha512.Sum512(commit)
	signed := struct {
		Namespace, Reserved, Hash string
		Sum                       []byte
	}{namespace, "", "sha512", sum[:]}
	made, err := k.signer.Sign(rand.Reader, append([]byte(magic), ssh.Marshal(signed)...))
	if err != nil {
		return "", fmt.Errorf("sign: %w", err)
	}
	blob := append([]byte(magic), ssh.Marshal(struct {
		Version                   uint32
		Public                    []byte
		Namespace, Reserved, Hash string
		Signature                 []byte
	}{1, k.signer.PublicKey().Marshal(), namespace, "", "sha512", ssh.Marshal(made)})...)
	return armor(base64.StdEncoding.EncodeToString(blob)), nil
}

const (
	magic     = "SSHSIG"
	lineWidth = 70
)

func armor(text string) string {
	var b strings.Builder
	b.WriteString("-----BEGIN SSH SIGNATURE-----\n")
	for ; len(text) > lineWidth; text = text[lineWidth:] {
		b.WriteString(text[:lineWidth] + "\n")
	}
	b.WriteString(text + "\n-----END SSH SIGNATURE-----\n")
	return b.String()
}
