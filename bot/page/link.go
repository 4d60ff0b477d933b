package page

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// linkLasts is how long a link is valid.
const linkLasts = 12 * time.Hour

// Links signs and verifies the addresses of pages. Replicas with the same secret accept each other's links.
type Links struct {
	Now  func() time.Time // the clock
	base string           // such as https://bobbin.example.com
	key  []byte
}

// NewLinks returns Links for pages below the base address. The key is derived from secret, which is the bot's
// Slack token, so a new token invalidates all links.
func NewLinks(base, secret string) (*Links, error) {
	key, err := hkdf.Key(sha256.New, []byte(secret), nil, "bobbin: links to session pages", sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("links to pages: %w", err)
	}
	return &Links{base: strings.TrimRight(base, "/"), key: key, Now: time.Now}, nil
}

// To returns the address of a session's page for one person; an empty session means the list.
func (l *Links) To(user, session string) string {
	path := "/s/"
	if session != "" {
		path += url.PathEscape(session)
	}
	return l.base + path + "?k=" + l.sign(grant{user: user, session: session, until: l.Now().Add(linkLasts)})
}

// Diff is the fragment of the part of a session's page that shows the diff. It may follow To and Shared.
const Diff = "#diff"

// Shared returns the address of a session's page for a message that many people read. It grants nothing: it
// opens in a browser in which the reader opened a link of their own before, and otherwise the page says where
// that link is.
func (l *Links) Shared(session string) string { return l.base + "/s/" + url.PathEscape(session) }

// A grant is what a link allows: one person may see one session, or all.
type grant struct {
	user    string
	session string // empty: all sessions that the person may see
	until   time.Time
}

// covers reports whether the grant includes that session; an empty session means the list.
func (g grant) covers(session string) bool { return g.session == "" || g.session == session }

// linkForm is the first part of a signed grant. It tells a grant apart from what else is signed.
const linkForm = "1"

func (l *Links) sign(g grant) string {
	return l.seal(linkForm, g.user, g.session, strconv.FormatInt(g.until.Unix(), 10))
}

var (
	errExpired = errors.New("this link has expired")
	errNoLink  = errors.New("there is no link")
	errForged  = errors.New("this link is not one of mine, or it is incomplete")
)

// read verifies a signed text and returns its grant. It fails if the signature is wrong or the link has
// expired.
func (l *Links) read(signed string) (grant, error) {
	parts, err := l.unseal(linkForm, signed)
	if err != nil || len(parts) != 3 {
		return grant{}, errForged
	}
	until, err := l.notOver(parts[2])
	if err != nil {
		return grant{}, err
	}
	return grant{user: parts[0], session: parts[1], until: until}, nil
}

// notOver reads a time that is not over yet.
func (l *Links) notOver(text string) (time.Time, error) {
	seconds, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return time.Time{}, errForged
	}
	until := time.Unix(seconds, 0)
	if !l.Now().Before(until) {
		return time.Time{}, errExpired
	}
	return until, nil
}

// seal returns a signed text of parts, of which the first says what it is. No part may contain a |.
func (l *Links) seal(parts ...string) string {
	text := strings.Join(parts, "|")
	return encoding.EncodeToString([]byte(text)) + "." + encoding.EncodeToString(l.mac(text))
}

// unseal verifies a text of seal with that first part, and returns the others.
func (l *Links) unseal(form, signed string) ([]string, error) {
	text, mac, _ := strings.Cut(signed, ".")
	plain, err := encoding.DecodeString(text)
	sum, err2 := encoding.DecodeString(mac)
	if err != nil || err2 != nil || !hmac.Equal(sum, l.mac(string(plain))) {
		return nil, errForged
	}
	parts := strings.Split(string(plain), "|")
	if parts[0] != form {
		return nil, errForged
	}
	return parts[1:], nil
}

var encoding = base64.RawURLEncoding.Strict()

func (l *Links) mac(text string) []byte {
	h := hmac.New(sha256.New, l.key)
	h.Write([]byte(text))
	return h.Sum(nil)
}
