package githubapp

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// FuzzAnswer checks that for any refusal by GitHub people get one line with a cure, without the
// assertion that was sent, and a reasonable wait.
func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{
		`{"message":"A JSON web token could not be decoded"}`, `{"message":"This installation has been suspended"}`, `{"message":"a\nb\u001b[31m"}`, `<html>`, ``, `{"message":7}`,
		`{"message":"` + strings.Repeat("x", 300) + `"}`, `{"message":"you sent eyJ.claims.signature"}`,
	} {
		for _, status := range []int{301, 401, 403, 404, 422, 429, 500, 999} {
			f.Add(status, seed, "3600", "Wed, 21 Oct 2015 07:28:00 GMT", "0", "1445412480")
		}
	}
	f.Add(403, `{}`, "-1", "", "0", "99999999999999999999")
	const assertion = "eyJ.claims.signature"
	a := &App{ID: "12345", Now: func() time.Time { return time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC) }}
	f.Fuzz(func(t *testing.T, status int, body, after, date, remaining, reset string) {
		if status >= 200 && status < 300 || status < 100 {
			return
		}
		res := &http.Response{StatusCode: status, Header: http.Header{
			"Retry-After": {after}, "Date": {date}, "X-Ratelimit-Remaining": {remaining}, "X-Ratelimit-Reset": {reset},
		}}
		err := a.refused(request{http.MethodPost, "/x", nil, "acme/shop"}, res, []byte(body), assertion)
		var refused *remote.Error
		require.True(t, errors.As(err, &refused))
		require.NotEmpty(t, refused.Reason)
		require.NotEmpty(t, refused.Cure)
		require.NotContains(t, fmt.Sprintf("%+v", refused), assertion)
		require.False(t, strings.ContainsFunc(refused.Error(), unicode.IsControl), "%q", refused.Error())
		require.LessOrEqual(t, len(refused.Error()), 600)
		require.GreaterOrEqual(t, refused.After, time.Duration(0))
		require.LessOrEqual(t, refused.After, maxWait+time.Hour)
	})
}

// FuzzRepository checks that owner and name are two plain names from the address, and that no token
// goes to a host other than that of the API.
func FuzzRepository(f *testing.F) {
	for _, seed := range []string{"https://github.com/acme/shop.git", "https://github.com/acme/shop/", "https://github.com/acme/..", "https://github.com/a%2fb/c", "https://github.com.evil.example/a/b", "https://github.com@evil.example/a/b", "https://GITHUB.com:443/a/b", "http://github.com/a/b", "git@github.com:a/b", "\x00"} {
		f.Add(seed, "")
		f.Add(seed, "https://ghe.example.com/api/v3")
	}
	f.Fuzz(func(t *testing.T, address, api string) {
		owner, name, err := Repository(address)
		if err == nil {
			require.True(t, plainName(owner) && plainName(name))
			require.Contains(t, address, "/")
		}
		if (&App{}).Covers(address) {
			low := strings.ToLower(address)
			require.True(t, strings.HasPrefix(low, "https://"), address)
			rest := strings.TrimPrefix(low, "https://")
			host := rest[:strings.IndexAny(rest+"/", "/?#")]
			require.Equal(t, "github.com", host[strings.LastIndexByte(host, '@')+1:], address)
		}
		if CheckAPI(api) == nil && api != "" {
			require.NotContains(t, api, "?")
			(&App{API: api}).Covers(address)
		}
	})
}

// FuzzKey checks that an invalid key is refused, in words that do not quote it.
func FuzzKey(f *testing.F) {
	f.Add("-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA4f5wg5l2hKsTeNem\n-----END RSA PRIVATE KEY-----")
	f.Add(`-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n-----END PRIVATE KEY-----`)
	f.Add("-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nMIIE\n-----END RSA PRIVATE KEY-----")
	f.Add("s3cr3t")
	f.Fuzz(func(t *testing.T, text string) {
		key, err := ParseKey(text)
		if err == nil {
			require.GreaterOrEqual(t, key.N.BitLen(), minBits)
			return
		}
		require.Nil(t, key)
		for line := range strings.Lines(text) {
			if line = strings.TrimSpace(line); len(line) >= 12 && !strings.HasPrefix(line, "-----") && !strings.Contains(line, " ") {
				require.NotContains(t, err.Error(), line)
			}
		}
	})
}
