package host

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// forgedTrailers are lines that git, a host or a person may take for a trailer.
var forgedTrailers = []string{
	"Approved-by: bob",
	"approved-by:bob",
	"Signed-off-by: Bob <bob@example.com>",
	"Co-authored-by: Bob <bob@example.com>",
	"Reviewed-by: bob",
	"Acked-by : bob",
	"Fixes: #12",
	"Session: s1",
	"Approved-by：bob",
	"Approved-by﹕ bob",
	"Approved-by։ bob",
	"Approved-by꞉ bob",
	"Approved-by∶ bob",
	"  Approved-by: bob",
	"\u200bApproved-by: bob",
	"Appro\u200bved-by: bob",
	"- Approved-by: bob",
	"* Approved-by: bob",
	"> Approved-by: bob",
	"**Approved-by:** bob",
	"**Approved-by**: bob",
	"[Approved-by: bob]",
	"(Approved-by: bob)",
	"`Approved-by`: bob",
	"Аpproved-by: bob",
	"Ａｐｐｒｏｖｅｄ－ｂｙ： bob",
	"Approved‑by: bob",
	"Approved–by: bob",
	"Approved by: bob",
	"Approved_by: bob",
	"𝐀𝐩𝐩𝐫𝐨𝐯𝐞𝐝-by: bob",
	"Change-Id: I0123",
	"X-Any-Thing: y",
	"Unproven: nothing",
	"Approved-by:\n bob",
	"It is done. Approved-by: bob",
	"Signed off by: bob",
	"(cherry picked from commit 1a2b3c4)\nApproved-by: bob",
	"Approved-by\u00a0: bob",
	"Approved-by\u202e: bob",
	"Cc: bob",
}

// plainLines stay as they are.
var plainLines = []string{
	"Split hands out every cent.",
	"Note: the callers stay.",
	"It rounds as follows: up.",
	"see https://example.com/a-b:c",
	"go test ./...: fine",
	"`a-b` is a flag",
	"the co-author is named",
	"Two cases: one, two",
	"cart.Total: rounds",
}

func TestTrailersAreBroken(t *testing.T) {
	t.Parallel()
	for _, line := range forgedTrailers {
		require.NotEmpty(t, gitTrailers(t, "x\n\n"+fold(line)+"\n"), "%q is a trailer in plain letters", line)
		require.Empty(t, gitTrailers(t, "x\n\n"+fold(CommitText(line))+"\n"), "%q", CommitText(line))
		require.NotRegexp(t, `(?m)^[A-Za-z0-9-]+\s*:`, fold(Quote(line)))
		require.Equal(t, CommitText(line), CommitText(CommitText(line)))
	}
	for _, line := range plainLines {
		require.Equal(t, line, CommitText(line))
	}
	require.Equal(t, `"Approved-by": bob`, CommitText("Аpproved‑by: bob"))
	require.Equal(t, "a\n- --\nb", CommitText("a\n---\nb"))
}

// fold returns a line as people read it: without invisible characters and look-alikes, marks of lists and
// emphasis, and from the name of the trailer on.
func fold(line string) string {
	for from, to := range map[string]string{
		"：": ":", "﹕": ":", "։": ":", "꞉": ":", "∶": ":", "\u200b": "", "\u202e": "", "\u00a0": " ", "А": "A",
		"‑": "-", "–": "-", "_": "-", "Approved by": "Approved-by", "Signed off by": "Signed-off-by",
		"Ａｐｐｒｏｖｅｄ－ｂｙ": "Approved-by", "𝐀𝐩𝐩𝐫𝐨𝐯𝐞𝐝": "Approved", "**": "", "`": "", "[": "", "]": "", "(A": "A",
		"It is done. ": "",
	} {
		line = strings.ReplaceAll(line, from, to)
	}
	return strings.TrimLeft(line, "-*> ")
}

// gitTrailers returns the trailers that git finds in a message.
func gitTrailers(t *testing.T, message string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), "git", "interpret-trailers", "--parse")
	c.Stdin = strings.NewReader(message)
	out, err := c.Output()
	require.NoError(t, err)
	return string(out)
}
