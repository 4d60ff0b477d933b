package githubapp

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"
	"time"
)

// GitHub accepts assertions of at most ten minutes. Ours begin a minute in the past, for clocks that
// are a little ahead of GitHub's.
const (
	backdated = time.Minute
	goodFor   = 9 * time.Minute
)

// assertion returns a JSON Web Token that identifies the App.
func (a *App) assertion() (string, error) {
	now := a.now()
	claims, err := json.Marshal(struct {
		IssuedAt int64  `json:"iat"`
		Expires  int64  `json:"exp"`
		Issuer   string `json:"iss"`
	}{now.Add(-backdated).Unix(), now.Add(goodFor).Unix(), a.ID})
	if err != nil {
		return "", err
	}
	signed := encode([]byte(`{"alg":"RS256","typ":"JWT"}`)) + "." + encode(claims)
	sum := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, a.Key, crypto.SHA256, sum[:])
	if err != nil {
		return "", fmt.Errorf("sign for %s: %w", a.name(), err)
	}
	return signed + "." + encode(signature), nil
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

// minBits is the length of the shortest key that is still secure.
const minBits = 2048

// ParseKey parses the private key in the form that GitHub issues. Line breaks written as \n, as in an
// environment variable, are accepted. Its errors do not quote the key.
func ParseKey(text string) (*rsa.PrivateKey, error) {
	block, _ := pem.Decode([]byte(strings.TrimSpace(strings.ReplaceAll(text, `\n`, "\n")) + "\n"))
	switch {
	case block == nil:
		return nil, errors.New("it holds no key that begins with -----BEGIN RSA PRIVATE KEY-----")
	case strings.Contains(block.Type, "PUBLIC"):
		return nil, errors.New("it holds a public key; the private one is meant")
	case strings.Contains(block.Type, "ENCRYPTED") || block.Headers["DEK-Info"] != "":
		return nil, errors.New("its key has a passphrase; GitHub's own has none")
	}
	key, err := x509.ParsePKCS1PrivateKey(block.Bytes)
	if err != nil {
		parsed, other := x509.ParsePKCS8PrivateKey(block.Bytes)
		var ok bool
		if key, ok = parsed.(*rsa.PrivateKey); other != nil || !ok {
			return nil, errors.New("it holds no RSA key, as GitHub gives one out, or only a part of it")
		}
	}
	if key.N.BitLen() < minBits {
		return nil, fmt.Errorf("its key has %d bits; GitHub's have %d", key.N.BitLen(), minBits)
	}
	return key, nil
}
