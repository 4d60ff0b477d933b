package config

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestWrongValuesOfTeamSettings checks what is said of each value that somebody may get wrong in the settings
// of bases, forks, commits, names, trackers and approvals: one line with the file, the line, the key and
// what to write instead.
func TestWrongValuesOfTeamSettings(t *testing.T) {
	t.Parallel()
	const table = "testdata/wrong_values.txt"
	open, _ := savedKey(t, 0o644)
	hosted := hub + "  host: on\n  "
	begins := map[string]string{
		"# one":    one,
		"# top":    plainConfig,
		"# hosted": hosted,
		"# app":    "github_app: {id: 12}\n" + hub + "  host: {token_env: HUB_TOKEN}\n  ",
		"# host":   hub + "  host: {",
		"# tracked": plainConfig + "trackers:\n  - kind: jira\n    url: https://acme.atlassian.net\n" +
			"    token_env: JIRA_TOKEN\n    projects: [SHOP, WEB]\n    ",
		"# tracker": plainConfig + "trackers: [{url: 'https://x', ",
		"# people":  plainConfig + "people: {",
	}
	text, err := os.ReadFile(table)
	require.NoError(t, err)
	var said []string
	begin := ""
	count := 0
	for _, part := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		value, _, isCase := strings.Cut(part, "\n=>")
		if isCase {
			_, err := parseConfig("c", []byte(begin+strings.ReplaceAll(value, "OPEN", open)+"\n"))
			require.Error(t, err, value)
			require.Regexp(t, `^c:\d+: [\w.-]+(\[\d\])?[\w.-]*`, err.Error(), value)
			require.NotContains(t, err.Error(), "\n", "one line")
			part = value + "\n=> " + strings.ReplaceAll(err.Error(), open, "OPEN")
			count++
		} else if strings.HasPrefix(part, "# ") {
			begin = begins[part]
			require.NotEmpty(t, begin, part)
		}
		said = append(said, part)
	}
	require.GreaterOrEqual(t, count, 40)
	got := strings.Join(said, "\n\n") + "\n"
	if os.Getenv("UPDATE_GOLDEN") == "1" {
		require.NoError(t, os.WriteFile(table, []byte(got), 0o644))
		return
	}
	require.Equal(t, string(text), got)
}
