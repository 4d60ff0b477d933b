package remote

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// Access is what a credential is used for.
type Access string

// Fetches and other queries need Read; Push and the check whether a push is allowed need Write.
const (
	Read  Access = "read"
	Write Access = "write"
)

// Credentials return the credential for a remote over https. Only the code that fetches and pushes calls
// For, right before each try, and it drops the result when the try is over. If For returns an *Error,
// people see it unchanged.
type Credentials interface {
	For(ctx context.Context, address string, to Access) (Credential, error)
}

// A Credential is valid for one exchange with a remote. The zero value means no credential.
type Credential struct {
	Password Secret
	Name     string    // its name for people, who see it when the remote refuses it; default "the token"
	Expires  time.Time // zero if unknown
}

// A Secret is never shown by code that formats, logs or encodes values.
type Secret string

func (Secret) String() string { return "[secret]" }

func (Secret) GoString() string { return "[secret]" }

// LogValue returns the placeholder that slog shows.
func (Secret) LogValue() slog.Value { return slog.StringValue("[secret]") }

// MarshalText always fails, because no code of ours may write a secret down.
func (Secret) MarshalText() ([]byte, error) { return nil, errors.New("a secret is not written down") }

// A Token is a Credentials with the same token for every exchange. Name tells people where the token comes
// from.
type Token struct {
	Value Secret
	Name  string
}

// For returns the token.
func (t Token) For(context.Context, string, Access) (Credential, error) {
	return Credential{Password: t.Value, Name: t.Name}, nil
}

// BasicUser is the user name sent with a token. Hosts check only the password.
const BasicUser = "x-access-token"

// Credential returns the credential for the next try, or the zero value if the URL is not http(s) or
// Credentials is nil.
func (r Remote) Credential(ctx context.Context, to Access) (Credential, error) {
	if r.Credentials == nil || !strings.HasPrefix(r.URL, "http") {
		return Credential{}, nil
	}
	c, err := r.Credentials.For(ctx, r.URL, to)
	if err != nil {
		return Credential{}, fmt.Errorf("no token: %w", err)
	}
	c.Name = cmp.Or(c.Name, "the token")
	return c, nil
}

const Hidden = "[masked: token]"

// minHidden is the shortest length in bytes of a token that HideIn can tell from ordinary words.
const minHidden = 8

// HideIn replaces the credential in a text: the plain token, the form that is sent, and its URL and base64
// encodings. Remotes and proxies sometimes repeat what they were sent.
func (c Credential) HideIn(text string) string {
	if len(c.Password) < minHidden || text == "" {
		return text
	}
	p := string(c.Password)
	var old []string
	for _, plain := range []string{BasicUser + ":" + p, p} {
		for _, form := range []string{
			plain, url.QueryEscape(plain), url.PathEscape(plain),
			base64.RawStdEncoding.EncodeToString([]byte(plain)),
			base64.RawURLEncoding.EncodeToString([]byte(plain)),
		} {
			old = append(old, form, Hidden)
		}
	}
	return strings.NewReplacer(old...).Replace(text)
}

// CleanError returns err without the credential in its text. If the text held the credential, the result
// does not wrap err.
func (c Credential) CleanError(err error) error {
	if err == nil {
		return nil
	}
	if text := err.Error(); c.HideIn(text) != text {
		return errors.New(c.HideIn(text))
	}
	return err
}

// Redact removes user name and password from an address.
func Redact(address string) string {
	if u, err := url.Parse(address); err == nil && u.User != nil && u.Scheme != "ssh" {
		u.User = nil
		return u.String()
	}
	return hideCredentials(address)
}

// hideCredentials removes user names and passwords from the http(s) addresses within a text.
func hideCredentials(text string) string {
	return credentialsIn.ReplaceAllString(text, "$1")
}

// credentialsIn matches up to the last @ before the path of an address.
var credentialsIn = regexp.MustCompile(`(?i)(https?://)[^/\s"]+@`)
