package plaintext

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSkeleton(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"Approved-by: bob":      "approved-by: bob",
		"Аррrоvеd‑bу։ bob":      "approved-by: bob",
		"Ａｐｐｒｏｖｅｄ－ｂｙ：":          "approved-by:",
		"\u200bSigned\u00adoff": "signedoff",
		"𝐀𝐩𝐩𝐫𝐨𝐯𝐞𝐝-𝒃𝒚":           "approved-by",
		"Ⓐpproved":              "approved",
		"naïve 日本":              "naive 日本",
		"a\u00a0b":              "a b",
	} {
		got, at := Skeleton(s)
		require.Equal(t, want, got)
		require.Len(t, at, len(got)+1)
		require.Equal(t, len(s), at[len(got)])
	}
	_, at := Skeleton("éа:")
	require.Equal(t, []int{0, 2, 4, 5}, at)
}
