package doctor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
)

// TestFindingsHaveColors checks the colors of the lines of a part on a terminal, and that a pipe gets none.
func TestFindingsHaveColors(t *testing.T) {
	t.Parallel()
	p := Part{Name: "Slack"}
	p.Findings.ok("all is well")
	p.Findings.problem("no token", "set it")
	for colored, want := range map[bool]string{
		true: "\x1b[1mSlack\x1b[0m\n\x1b[32m  ok       all is well\x1b[0m\n" +
			"\x1b[31m  problem  no token\x1b[0m\n\x1b[36m           → set it\x1b[0m\n",
		false: "Slack\n  ok       all is well\n  problem  no token\n           → set it\n",
	} {
		var out strings.Builder
		p.print(cli.Console{Out: &out, Colored: colored}.Painted(colorOf))
		require.Equal(t, want, out.String())
	}
}
