package stage_test

import (
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
)

// TestTheReadmeShowsTheDemo plays the demo, and checks that it prints each line of the thread in the README,
// in that order. "…" at the end of a line stands for its rest.
func TestTheReadmeShowsTheDemo(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile(filepath.Join("..", "..", "..", "..", "README.md"))
	require.NoError(t, err)
	_, shown, found := strings.Cut(string(readme), "\n    #bugs\n")
	require.True(t, found)
	shown, _, _ = strings.Cut(shown, "\n\n")

	var printed, progress strings.Builder
	err = stage.PlayDemo(t.Context(), "", &printed, &progress, slog.New(slog.DiscardHandler))
	require.NoError(t, err, progress.String())
	require.Empty(t, firstMissing(shown, printed.String()), printed.String())
	require.Equal(t, "  bobbin   [deep] Nothing", firstMissing(shown+"\n      bobbin   [deep] Nothing",
		printed.String()), "the control")
	require.NotEmpty(t, firstMissing("      bea      Fix it\n"+shown, printed.String()),
		"the control: another order")
}

// differs matches what is different in each run: the commit that was pushed, and the time at work.
var differs = regexp.MustCompile(`shop@\w{7}|\d+ (s|min) at work`)

// firstMissing returns the first line of the README that is not printed behind those before it, or nothing.
func firstMissing(shown, printed string) string {
	lines := strings.Split(differs.ReplaceAllString(printed, "#"), "\n")
	for line := range strings.SplitSeq(shown, "\n") {
		line = strings.TrimPrefix(line, "    ")
		want, cut := strings.CutSuffix(differs.ReplaceAllString(line, "#"), "…")
		is := func(got string) bool { return got == want || cut && strings.HasPrefix(got, want) }
		for len(lines) > 0 && !is(lines[0]) {
			lines = lines[1:]
		}
		if len(lines) == 0 {
			return line
		}
		lines = lines[1:]
	}
	return ""
}
