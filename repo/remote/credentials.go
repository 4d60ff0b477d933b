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

// Access is what a credential is for.
type Access string

// A remote is read by Fetch and Stands, and written by Push.
const (
	Read  Access = "read"
	Write Access = "write"
)

// Credentials give what a remote over https asks for. They are asked by the code that
// fetches and pushes, and by nothing else, right before each try; it forgets the answer
// when the try is over. A *Error from them is told to people as it is.
type Credentials interface {
	For(ctx context.Context, address string, to Access) (Credential, error)
}

// A Credential is good for one exchange with a remote. The zero value is none.
type Credential struct {
	Password Secret
	Name     string    // what to look after when it is refused, for people; default "the token"
	Expires  time.Time // zero: not that anybody knows
}

// A Secret is never shown by what formats, logs or encodes values.
type Secret string

func (Secret) String() string { return "[secret]" }

func (Secret) GoString() string { return "[secret]" }

// LogValue is what slog shows.
func (Secret) LogValue() slog.Value { return slog.StringValue("[secret]") }

// MarshalText refuses: nothing of ours writes a secret down.
func (Secret) MarshalText() ([]byte, error) { return nil, errors.New("a secret is not written down") }

// A Token is the same for every exchange. Name is where it comes from, for people.
type Token struct {
	Value Secret
	Name  string
}

// For is the token.
func (t Token) For(context.Context, string, Access) (Credential, error) {
	return Credential{Password: t.Value, Name: t.Name}, nil
}

// BasicUser goes with a token: hosts look at the password alone.
const BasicUser = "x-access-token"

// Credential asks for what the next try needs.
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

// leastHidden is how long a token has to be to be told from ordinary words.
const leastHidden = 8

// HideIn takes the credential out of a text: as it is, as it is sent, and as addresses and
// encodings quote it. Remotes and proxies have been seen to repeat what they were sent.
func (c Credential) HideIn(text string) string {
	if len(c.Password) < leastHidden || text == "" {
		return text
	}
	p := string(c.Password)
	var old []string
	for _, plain := range []string{BasicUser + ":" + p, p} {
		for _, form := range []string{
			plain, url.QueryEscape(plain), url.PathEscape(plain),
			base64.RawStdEncoding.EncodeToString([]byte(plain)), base64.RawURLEncoding.EncodeToString([]byte(plain)),
		} {
			old = append(old, form, Hidden)
		}
	}
	return strings.NewReplacer(old...).Replace(text)
}

// CleanError is err as it may be logged. What it wraps is let go where that holds the credential.
func (c Credential) CleanError(err error) error {
	if err == nil {
		return nil
	}
	if text := err.Error(); c.HideIn(text) != text {
		return errors.New(c.HideIn(text))
	}
	return err
}

// Redact takes credentials out of an address.
func Redact(address string) string {
	if u, err := url.Parse(address); err == nil && u.User != nil && u.Scheme != "ssh" {
		u.User = nil
		return u.String()
	}
	return address
}

// hideCredentials does the same for addresses within a text.
func hideCredentials(text string) string {
	return credentialsIn.ReplaceAllString(text, "$1")
}

// credentialsIn an address go as far as the last @ before its path.
var credentialsIn = regexp.MustCompile(`(?i)(https?://)[^/\s"]+@`)
