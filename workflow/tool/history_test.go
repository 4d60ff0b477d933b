package tool

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestHistory(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"a.txt": "one\ntwo\n", "b.txt": "b\n"})
	all := b.ok(t, "history", nil)
	require.Regexp(t,
		`^[0-9a-f]{12} 2026-01-02 Ada: add the rest\n[0-9a-f]{12} 2026-01-01 Ada: begin the shop\n$`, all)
	require.Regexp(t, `^[0-9a-f]{12} 2026-01-01 Ada: begin the shop\n$`,
		b.ok(t, "history", args{"path": "a.txt"}))
	require.Regexp(t, `^a.txt:2 was last changed by\n[0-9a-f]{12} 2026-01-01 Ada: begin the shop\n$`,
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
