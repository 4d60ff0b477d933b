package tool

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The work that a model or a repository can cause is limited, and ends soon.
func TestWorkIsBounded(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"seed.txt": "x\n"})
	b.put(t, strings.Repeat("deep/", 150)+"f.txt", "needle\n")
	b.put(t, "line.min.js", strings.Repeat("ab", 4<<20-10))
	b.put(t, "brackets.txt", strings.Repeat("}\n{\n", 400_000))
	b.put(t, "lines.txt", strings.Repeat("\n", 2<<20))
	require.Contains(t, b.ok(t, "list_files", args{"path": "deep"}), "not everything was looked at")
	require.Contains(t, b.ok(t, "search", args{"pattern": "needle"}), "not everything was looked at")
	var hunks strings.Builder
	for i := range 500 {
		fmt.Fprintf(&hunks, "@@\n-no such line %d\n+x\n", i)
	}
	b.ok(t, "read_file", args{"path": "brackets.txt"})
	for name, call := range map[string]func(){
		"a costly pattern on one long line": func() {
			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			_, err := b.try(ctx, "search", args{"pattern": `(\w{3}){30}[xyz]\d`, "path": "line.min.js"})
			require.ErrorIs(t, err, context.DeadlineExceeded)
		},
		"a miss in a file of brackets": func() {
			b.refused(t, "edit_file",
				args{"path": "brackets.txt", "old": strings.Repeat("}\n", 200) + "x", "new": "y"})
		},
		"a patch of many hunks": func() {
			require.Contains(t, b.refused(t, "apply_patch", args{
				"patch": "*** Begin Patch\n*** Update File: lines.txt\n" + hunks.String() + "*** End Patch",
			}), "fewer")
		},
		"a name that is nowhere": func() {
			b.refused(t, "read_file", args{"path": strings.Repeat("long", 60)})
		},
	} {
		begin := time.Now()
		call()
		require.Less(t, time.Since(begin), time.Minute, name)
		t.Logf("%s: %v", name, time.Since(begin).Round(time.Millisecond))
	}
}
