package plaintext

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestNetworkErrorsInPlainWords makes each error for real, except for those of DNS.
func TestNetworkErrorsInPlainWords(t *testing.T) {
	t.Parallel()
	plain := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(plain.Close)
	sealed := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(sealed.Close)
	hangsUp := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		c, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			c.Close()
		}
	}))
	t.Cleanup(hangsUp.Close)
	mute, err := net.Listen("tcp", "127.0.0.1:0") // accepts and sends nothing
	require.NoError(t, err)
	t.Cleanup(func() { mute.Close() })
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	client := &http.Client{Transport: &http.Transport{}}
	get := func(within time.Duration, address string) error {
		ctx, cancel := context.WithTimeout(t.Context(), within)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		require.NoError(t, err)
		answer, err := client.Do(r)
		if err == nil {
			answer.Body.Close()
		}
		return err
	}
	host := func(address string) string {
		return strings.TrimPrefix(strings.TrimPrefix(address, "http://"), "https://")
	}
	for want, err := range map[string]error{
		"nothing listens at " + host(gone.URL) + " (connection refused)": get(time.Minute, gone.URL),
		host(hangsUp.URL) + " closed the connection":                     get(time.Minute, hangsUp.URL),
		host(plain.URL) + " does not speak TLS: http:// instead of https://?": get(time.Minute,
			"https://"+host(plain.URL)),
		"the certificate of " + host(sealed.URL) + " is not accepted: " +
			"this machine does not know who signed it": get(time.Minute, sealed.URL),
		mute.Addr().String() + " does not answer in time": get(50*time.Millisecond,
			"http://"+mute.Addr().String()),
		"there is no host slack.test (no such host)": fmt.Errorf("a: %w",
			&net.DNSError{Err: "no such host", Name: "slack.test", IsNotFound: true}),
		"the address of slack.test is not known: no answer from DNS": &net.DNSError{
			Err: "server misbehaving", Name: "slack.test", IsTemporary: true,
		},
	} {
		require.Error(t, err, want)
		require.Equal(t, want, NetworkError(err), "%v", err)
	}
	require.Empty(t, NetworkError(errors.New("invalid_auth")))
	require.Empty(t, NetworkError(context.Canceled))
	require.Empty(t, NetworkError(context.DeadlineExceeded))
	require.Empty(t, NetworkError(nil))
}
