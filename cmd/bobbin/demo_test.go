package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
)

func TestTheDemosColors(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]cli.Color{
		"           ✓ 2 new tests: red before, green now":       cli.Green,
		"           ✗ Unproven: commands are off here":          cli.Red,
		"  bobbin   [orchestrator] ◆ Looking into shop (main).": cli.Cyan,
		"  bea      Fix it":                 cli.Plain,
		"+++ b/money/split.go":              cli.Bold,
		"index dc44c77..ad76624 100644":     cli.Faint,
		"+	seen += w":                       cli.Green,
		"-	shares[i] = total * w / sum":     cli.Red,
		"@@ -9,8 +9,13 @@ sum := Sum(all…)": cli.Cyan,
		"Proof, run by the program:":        cli.Bold,
	} {
		require.Equal(t, want, demoColor(line), line)
	}
}
