package address

import (
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// FuzzRemoteURL checks that an accepted address contains no password and no control character, and that a
// refused one is shown without them.
func FuzzRemoteURL(f *testing.F) {
	for _, seed := range []string{
		"https://github.com/acme/shop.git", "https://me:hunter2hunter2@h/x", "https://hunter2hunter2@h/x",
		"git@github.com:acme/shop.git", "ssh://git:hunter2hunter2@h/x", "/srv/x", "file:///srv/x",
		"https://h/x?token=hunter2hunter2", "http://hunter2hunter2@h/x", "http://[::1]:99999/x", "~/x",
		"https://h/%zz", "https://me:hunter2hunter2%zz@h/x", "git@h:a:b", "a b", "://", "\x00",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, address string) {
		if err := CheckURL(address); err != nil {
			require.NotContains(t, err.Error(), "hunter2hunter2")
			return
		}
		require.False(t, strings.ContainsFunc(address, unicode.IsControl))
		require.Equal(t, strings.TrimSpace(address), address)
		if IsHTTP(address) {
			host, _, _ := strings.Cut(strings.SplitN(address, "//", 2)[1], "/")
			require.NotContains(t, host, "@", "somebody's name or password")
			require.Equal(t, address, HideSecret(address))
		}
	})
}

func TestOwnHosts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                                  nil,
		"postgres://u:p@db.internal:5432/x": {"db.internal"},
		"postgres://u:p@[::1]:5432/x":       {"::1"},
		"postgres://h/x":                    {"h"},
		"postgres://a:1,b:2/x":              {"a", "b"},
		"host=/run user=x":                  nil,
	} {
		require.Equal(t, want, OwnHosts(text), text)
	}
}
