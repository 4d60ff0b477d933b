package page

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func newLinks(t *testing.T, secret string) *Links {
	t.Helper()
	l, err := NewLinks("https://bobbin.example.com/", secret)
	require.NoError(t, err)
	return l
}

func signed(t *testing.T, link string) string {
	t.Helper()
	_, k, ok := strings.Cut(link, "?k=")
	require.True(t, ok, link)
	return k
}

// TestLinks checks that a link is for one person and one session and expires, and that only
// the same secret can sign one.
func TestLinks(t *testing.T) {
	t.Parallel()
	l := newLinks(t, "xoxb-1")
	link := l.To("U1", "abc")
	require.True(t, strings.HasPrefix(link, "https://bobbin.example.com/s/abc?k="), link)
	g, err := l.read(signed(t, link))
	require.NoError(t, err)
	require.Equal(t, []string{"U1", "abc"}, []string{g.user, g.session})
	require.True(t, g.covers("abc"))
	require.False(t, g.covers("abd"), "a link to a session opens no other")
	require.False(t, g.covers(""), "and not the list")

	all, err := l.read(signed(t, l.To("U1", "")))
	require.NoError(t, err)
	require.True(t, all.covers("") && all.covers("abc"))

	same, err := newLinks(t, "xoxb-1").read(signed(t, link))
	require.NoError(t, err, "another replica reads it")
	require.Equal(t, g, same)
	_, err = newLinks(t, "xoxb-2").read(signed(t, link))
	require.ErrorIs(t, err, errForged, "a new token ends all links")

	require.Equal(t, "https://bobbin.example.com/s/abc", l.Shared("abc"), "what many read grants nothing")

	l.Now = func() time.Time { return time.Now().Add(linkLasts + time.Second) }
	_, err = l.read(signed(t, link))
	require.ErrorIs(t, err, errExpired)
}

func TestForgedLinks(t *testing.T) {
	t.Parallel()
	l := newLinks(t, "xoxb-1")
	good := signed(t, l.To("U1", "abc"))
	text, mac, _ := strings.Cut(good, ".")
	other := encoding.EncodeToString([]byte("1|U2|abc|99999999999"))
	for _, bad := range []string{
		"", ".", "x", text, text + ".", "." + mac, other + "." + mac, text + "." + mac + "A", good + "A",
		text + "=." + mac, strings.ToUpper(good), text + "." + encoding.EncodeToString(make([]byte, 32)),
	} {
		_, err := l.read(bad)
		require.ErrorIs(t, err, errForged, bad)
	}
	// Texts of another form are refused even if they are signed correctly.
	for _, plain := range []string{
		"1|U1|abc", "2|U1|abc|99999999999", "1|U1|abc|never", "1|U1|abc|99999999999|more",
	} {
		_, err := l.read(encoding.EncodeToString([]byte(plain)) + "." + encoding.EncodeToString(l.mac(plain)))
		require.ErrorIs(t, err, errForged, plain)
	}
}
