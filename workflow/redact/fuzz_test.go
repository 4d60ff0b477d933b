package redact_test

import (
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/redact"
)

// FuzzMask checks that a given value is masked wherever it appears and in whatever form, and that masked
// text does not change when it is masked again.
func FuzzMask(f *testing.F) {
	const value = "s3cr3t-of-ours/and+more"
	f.Add("token: ", " and more")
	f.Add("https://bot:", "@host/x")
	f.Add("Basic ", "")
	f.Add("-----BEGIN RSA PRIVATE KEY-----\n", "\n-----END RSA PRIVATE KEY-----")
	f.Add(strings.Repeat("x", 2050), strings.Repeat("\n", 600))
	f.Add(github, aws)
	f.Add("s3cr3t-of-ours/s3cr3t-of-", "-of-ours/and+more")
	finder := redact.New(value)
	f.Fuzz(func(t *testing.T, before, after string) {
		if len(before)+len(after) > 10000 {
			return
		}
		for _, form := range []string{
			value, url.QueryEscape(value), base64.StdEncoding.EncodeToString([]byte(before + value)),
		} {
			text := before + form + after
			got := finder.Mask(text)
			require.NotContains(t, got, value)
			require.NotContains(t, got, url.QueryEscape(value))
			require.NotContains(t, got, base64.RawStdEncoding.EncodeToString([]byte(value))[:28])
			require.True(t, redact.IsMasked(got))
			require.NotContains(t, finder.MaskGiven(text), value)
			for _, found := range finder.Find(text) {
				require.GreaterOrEqual(t, found.Line, 1)
				require.LessOrEqual(t, found.Line, 1+strings.Count(text, "\n"))
			}
		}
	})
}
