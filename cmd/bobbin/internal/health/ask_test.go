package health

import (
	"net"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

func TestHealthIsAskedForOnThisMachine(t *testing.T) {
	t.Parallel()
	for listens, ask := range map[string]string{
		"0.0.0.0:8080": "localhost:8080",
		":8080":        "localhost:8080",
		"[::]:80":      "localhost:80",
		"10.0.0.3:1":   "10.0.0.3:1",
	} {
		require.Equal(t, ask, LocalAddress(listens))
		_, _, err := net.SplitHostPort(ask)
		require.NoError(t, err)
	}
}

// FuzzHealth checks that another program at the address is not taken for the bot, and that texts are one
// line without control characters.
func FuzzHealth(f *testing.F) {
	for _, seed := range []string{
		`{"state":"ready","since":"2026-03-01T09:00:00Z"}`,
		`{"state":"not ready","wrong":"a\nb\u001b[31m","cure":"c"}`, `{"state":"READY"}`, `{"state":7}`,
		`[]`, `<html>`, ``, `{"state":"ready"`, `{"state":"ended","counts":{"goroutines":1e99}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		h, err := readHealth(strings.NewReader(string(said)))
		if err != nil {
			require.Empty(t, h)
			return
		}
		require.Contains(t,
			[]string{StateStarting, StateReady, StateNotReady, StateDraining, StateEnded}, h.State)
		require.False(t, strings.ContainsFunc(h.Wrong+h.Cure, unicode.IsControl))
	})
}
