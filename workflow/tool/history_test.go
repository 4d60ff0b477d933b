package tool

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHistory(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"a.txt": "one\ntwo\n", "b.txt": "b\n"})
	all := b.ok(t, "history", nil)
	require.Regexp(t,
		`^[0-9a-f]{12} 2026-01-02T12:00Z Ada: add the rest\n`+
			`[0-9a-f]{12} 2026-01-01T12:00Z Ada: begin the shop\n$`, all)
	require.Regexp(t, `^[0-9a-f]{12} 2026-01-01T12:00Z Ada: begin the shop\n$`,
		b.ok(t, "history", args{"path": "a.txt"}))
	require.Regexp(t, `^a.txt:2 was last changed by\n[0-9a-f]{12} 2026-01-01T12:00Z Ada: begin the shop\n$`,
		b.ok(t, "history", args{"path": "a.txt", "line": 2}))
	one := b.ok(t, "history", args{"commit": b.Workspace.Base()})
	require.Contains(t, one, "Ada: add the rest\n\nWith a body.\n")
	require.Contains(t, one, "\n+b\n")
	require.Equal(t, one, b.ok(t, "history", args{"commit": all[:12]}), "as it was shown")
}

func TestHistoryWrongCalls(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"a.txt": "one\n"})
	require.Contains(t, b.refused(t, "history", args{"line": 3}), "Which file")
	require.Contains(t, b.refused(t, "history", args{"path": "../x"}), "outside")
	b.refused(t, "history", args{"path": "a.txt", "line": 99})
	b.refused(t, "history", args{"path": "none.txt", "line": 1})
	b.refused(t, "history", args{"commit": "0123456789"})
	b.refused(t, "history", args{"commit": "--output=/tmp/x"})
	b.Mirror = nil
	require.Contains(t, b.refused(t, "history", nil), "no history")
}

// A span of time is one instant to another, whoever names it: the two commits are of noon UTC on the 1st and
// on the 2nd. A time without a zone is refused with how to write it.
func TestHistoryOfASpanOfTime(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"a.txt": "one\n", "b.txt": "b\n"})
	for _, c := range []struct{ since, until, want string }{
		{"2026-01-02 12:59 Europe/Berlin", "", "add the rest"},
		{"2026-01-02 13:01 Europe/Berlin", "", "since 2026-01-02T12:01Z"},
		{"2026-01-02 04:00 America/Los_Angeles", "", "add the rest"},
		{"2026-01-02 20:59:30 Asia/Tokyo", "", "add the rest"},
		{"2026-01-02T14:00:00+02:00", "", "add the rest"},
		{"2026-01-02T12:00Z", "2026-01-03 UTC", "add the rest"},
		{"2026-01-01 20:00 Asia/Tokyo", "2026-01-01 13:30 Europe/Berlin", "begin the shop"},
		{"", "2026-01-01 23:59 UTC", "begin the shop"},
		{
			"2026-01-02 00:00 UTC", "2026-01-02 11:00 UTC",
			"No commit since 2026-01-02T00:00Z until 2026-01-02T11:00Z.",
		},
		{"2026-01-02 12:00", "", "no time with a zone"},
		{"yesterday 8am", "", "no time with a zone"},
		{"2026-01-02 12:00 Local", "", "no time with a zone"},
		{"2026-01-02 12:00 ../../etc/passwd", "", "no time with a zone"},
		{"2026-01-02 12:00 UTC", "8am Europe/Berlin", "until is no time with a zone"},
	} {
		r := b.call(t, "history", args{"since": c.since, "until": c.until})
		require.Equal(t, strings.Contains(c.want, "no time"), r.Wrong, r.Text)
		require.Contains(t, r.Text, c.want, c)
		require.LessOrEqual(t, strings.Count(r.Text, "\n"), 1, r.Text)
	}
	require.Contains(t, b.ok(t, "history", args{"path": "a.txt", "since": "2026-01-02 00:00 UTC"}),
		"No commit has touched a.txt since 2026-01-02T00:00Z.")
}
