package findings

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCommandName(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"go test ./money":                                               "`go test ./money`",
		"python3 $SCRATCH/probe.py 2>&1":                                "`python3 $SCRATCH/probe.py 2>&1`",
		"python3 - <<'EOF'\nprint(1)\nEOF":                              "a script for `python3 -`",
		"cat > x.go <<'EOF'\npackage x\nEOF\ngo test .":                 "a script that ends in `go test .`",
		"cat > /tmp/x.py <<EOF && python3 /tmp/x.py\nx\nEOF":            "`python3 /tmp/x.py`",
		"cat > a <<'A' > b\n1\nA\nset -e\n\ncd money\n# look\ngo vet .": "a script that ends in `go vet .`",
		"node <<-\"X Y\" | head\n\tgo test\n\tX Y":                      "a script for `node | head`",
		"go vet ./... && cat <<< here":                                  "`go vet ./... && cat <<< here`",
		"cat > only.txt <<'EOF'\nx\nEOF":                                "a script for `cat > only.txt`",
		"echo `date`":                                                   "`echo 'date'`",
		" \n ":                                                          "an empty command",
		"sh -c 'never ends' <<EOF\nno end":                              "a script for `sh -c 'never ends'`",
	} {
		got := CommandName(command)
		require.Equal(t, want, got, command)
		require.NotContains(t, got, "\n")
	}
	require.Less(t, len(CommandName("go vet "+strings.Repeat("x ", 600))), maxCommandName+10)
}
