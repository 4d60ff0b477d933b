package build

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
)

// What the base compiled is not compiled again for a change, and what a change compiled is never used for
// another run.
func TestCCacheHoldsWhatTheBaseCompiled(t *testing.T) {
	t.Parallel()
	repotest.NeedCommand(t, "make --version && cc --version && ccache --version && ls /usr/lib/ccache/cc")
	m, commits := repotest.NewMirror(t, repotest.Files{
		"Makefile": "all: a.o b.o\n%.o: %.c\n\t@cc -c $< -o $@\n",
		"a.c":      "int a(void) { return 1; }\n",
		"b.c":      "int b(void) { return 2; }\n",
	})
	c := checker(t).For(m)
	p := project.Project{Kind: "make", Build: "make && ccache --print-stats | grep -w cache_miss"}
	stat := func(output, name string) string {
		m := regexp.MustCompile(name + `\s+(\d+)`).FindStringSubmatch(output)
		require.NotNil(t, m, output)
		return m[1]
	}
	r, err := c.Baseline(t.Context(), commits[0], p)
	require.NoError(t, err)
	require.Equal(t, "2", stat(r.BuildOutput, "cache_miss"))
	for range 2 {
		r, err = c.RunTree(t.Context(), commits[0], func(onto *os.Root) error {
			return onto.WriteFile("b.c", []byte("int b(void) { return 3; }\n"), 0o644)
		}, p)
		require.NoError(t, err)
		require.Equal(t, "1", stat(r.BuildOutput, "cache_miss"), "in the second run, too: %s", r.BuildOutput)
	}
}
