package endpoint

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// FuzzRetryAfter checks that a wait is never negative, nor longer than longestWait.
func FuzzRetryAfter(f *testing.F) {
	for _, seed := range []string{
		"", "3", "0.5", "-1", "1e400", "NaN", "Inf", "99999999999999999999", "Wed, 21 Oct 2015 07:28:00 GMT",
		"Mon, 01 Jan 9999 00:00:00 GMT", "soon",
	} {
		f.Add(seed, "", "")
		f.Add("", seed, "")
		f.Add(seed, "", "Wed, 21 Oct 2015 07:28:00 GMT")
	}
	now := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, after, ms, date string) {
		d := retryAfter(http.Header{"Retry-After": {after}, "Retry-After-Ms": {ms}, "Date": {date}}, now)
		require.GreaterOrEqual(t, d, time.Duration(0))
		require.LessOrEqual(t, d, 1e6*time.Second)
	})
}
