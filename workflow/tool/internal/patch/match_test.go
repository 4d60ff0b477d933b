package patch

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzReplace(f *testing.F) {
	f.Add("one\ntwo\n", "two", "2", false)
	f.Add("a\r\nb\r\na\r\n", "a\nb", "c\n", true)
	f.Add("aaaa", "aa", "a", true)
	f.Add("\r\n", "\n", "0", true)
	f.Fuzz(func(t *testing.T, data, old, new string, all bool) {
		out, places, err := ReplaceText([]byte(data), old, new, all)
		if err != nil {
			require.Nil(t, out)
			return
		}
		_ = DescribeNearest([]byte(data), old)
		if strings.Contains(old+new, "\r") || strings.Count(data, "\r") > strings.Count(data, "\r\n") {
			return
		}
		// Without carriage returns, the result equals a replacement in the text without carriage returns.
		flat := strings.ReplaceAll(data, "\r\n", "\n")
		require.Equal(t, strings.Count(flat, old), places)
		if places > 0 {
			require.Equal(t, strings.ReplaceAll(flat, old, new), strings.ReplaceAll(string(out), "\r\n", "\n"))
		}
	})
}
