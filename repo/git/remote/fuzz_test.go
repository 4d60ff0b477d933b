package remote

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/stretchr/testify/require"
)

// FuzzRemoteWords checks that, whatever a remote prints, people get one line without terminal control
// characters, of limited length and without a token.
func FuzzRemoteWords(f *testing.F) {
	const token = "t0ken-of-the-bot"
	for _, seed := range []string{
		"remote: error: GH006: Protected branch update failed", "no space left on device\x1b[31m", "pre-receive hook declined\nline two " + token, "exists; cannot create", strings.Repeat("x", 5000) + token,
		"https://me:hunter2@host/x", "\u202e evil", "unpack error", "command error on refs/heads/x: no", "<html>", "", "\xff\xfe", "http redirect: " + token, "dubious ownership",
	} {
		f.Add(seed, seed)
		f.Add("EOF", seed)
		f.Add(seed, "")
	}
	f.Fuzz(func(t *testing.T, text, said string) {
		for _, err := range []error{errors.New(text), plumbing.NewUnexpectedError(errors.New(text)), fmt.Errorf("%w: %s", transport.ErrAuthorizationFailed, text), fmt.Errorf("%w: %s", ErrSentBad, text)} {
			got := NewError(t.Context(), "push x", Remote{Name: "shop", URL: "https://h/x"}, Credential{Password: token}, err, said)
			var refused *Error
			require.ErrorAs(t, got, &refused)
			line := refused.Error()
			require.NotEmpty(t, refused.Reason)
			require.NotContains(t, line, token)
			require.NotContains(t, fmt.Sprint(refused.Err), token)
			require.NotRegexp(t, `(?i)https?://[^/\s"]*hunter2@`, line)
			require.LessOrEqual(t, len(line), 2000)
			require.True(t, utf8.ValidString(line), "%q", line)
			require.False(t, strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) && r != '\t' || r >= 0x202a && r <= 0x202e }), "%q", line)
		}
	})
}

// FuzzRetryAfterOfRemotes checks that a wait is never negative and never longer than a day.
func FuzzRetryAfterOfRemotes(f *testing.F) {
	for _, seed := range []string{"", "3", "-1", "99999999999999999999", "Wed, 21 Oct 2015 07:28:00 GMT", "Mon, 01 Jan 9999 00:00:00 GMT", "1e3"} {
		f.Add(seed, "")
		f.Add(seed, "Wed, 21 Oct 2015 07:28:00 GMT")
	}
	f.Fuzz(func(t *testing.T, after, date string) {
		d := RetryAfter(http.Header{"Retry-After": {after}, "Date": {date}})
		require.GreaterOrEqual(t, d, time.Duration(0))
		require.LessOrEqual(t, d, MaxAsked)
	})
}

// FuzzAddress checks that a shown address has no password in it.
func FuzzAddress(f *testing.F) {
	for _, seed := range []string{"https://me:hunter2@host/x.git", "https://hunter2@host/x", "http://a:b@c@d/e", "git@github.com:acme/shop.git", "ssh://git@h/x", "file:///srv/x", "/srv/x", "https://h/%zz", "https://a b/", "://", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		shown := Redact(address)
		if u, err := url.Parse(address); err == nil && u.User != nil && u.Scheme != "ssh" {
			again, err := url.Parse(shown)
			require.NoError(t, err)
			require.Nil(t, again.User)
		}
		require.Equal(t, hideCredentials(address), hideCredentials(hideCredentials(address)))
	})
}
