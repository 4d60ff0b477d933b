package deploy

import (
	"net/url"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTheFileIsWhatIsPrinted(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("slack-manifest.yaml")
	require.NoError(t, err)
	text, err := App{}.Manifest()
	require.NoError(t, err)
	for line := range strings.Lines(text) {
		require.Contains(t, string(file), line)
	}
	for _, agents := range []string{"agent view", "agent_", "assistant:", "#+"} {
		require.NotContains(t, text, agents)
	}
	agent, err := App{Agent: true, Name: "Bobbin"}.Manifest()
	require.NoError(t, err)
	require.Contains(t, agent, "\n  # Slack shuts guests out of an app with the agent view")
	require.Contains(t, agent, "\n  agent_view:\n    agent_description: ")
	require.Contains(t, agent, "\n      - assistant:write # ")
}

func TestEachScopeAndEventSaysWhatItIsFor(t *testing.T) {
	t.Parallel()
	text, err := App{}.Manifest()
	require.NoError(t, err)
	for above, list := range map[string][]Scope{"    bot:\n": Scopes(), "    bot_events:\n": Events()} {
		_, below, found := strings.Cut(text, above)
		require.True(t, found)
		var lines int
		for line := range strings.Lines(below) {
			if !strings.HasPrefix(line, "      - ") {
				break
			}
			lines++
		}
		require.Len(t, list, lines, "a line without its comment")
	}
	require.Contains(t, Scopes(), Scope{"reactions:write", "mark messages as seen"})
	require.Contains(t, Names(Events()), "message.groups")
	require.NotContains(t, Names(Scopes()), "assistant:write")
}

func TestCommandsAndShortcuts(t *testing.T) {
	t.Parallel()
	text, err := App{}.Manifest()
	require.NoError(t, err)
	require.Len(t, Commands(), strings.Count(text, "    - command: "))
	require.Contains(t, Commands(), Command{
		Name:        "/diagnose",
		Description: "Tests several explanations before it reports one",
		Hint:        "what is wrong",
	})
	require.Len(t, Shortcuts(), strings.Count(text, "callback_id: "))
	require.Contains(t, Shortcuts(), Shortcut{Name: "Send to Bobbin", ID: "send_to_bobbin"})
}

func TestNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string][2]string{
		"Fixer":             {`name: "Fixer"`, `display_name: "fixer"`},
		"Acme's \"Bot\" #1": {`name: "Acme's \"Bot\" #1"`, `display_name: "acmes-bot-1"`},
		"yes":               {`name: "yes"`, `display_name: "yes"`},
		"Bobbin":            {"name: Bobbin", "display_name: bobbin"},
		"!!":                {`name: "!!"`, "display_name: bobbin"},
	} {
		text, err := App{Name: name}.Manifest()
		require.NoError(t, err)
		for _, line := range want {
			require.Contains(t, text, "  "+line+"\n")
		}
		link, err := App{Name: name}.Link()
		require.NoError(t, err)
		u, err := url.Parse(link)
		require.NoError(t, err)
		filled := u.Query().Get("manifest_yaml")
		for _, line := range want {
			require.Contains(t, filled, "  "+line+"\n")
		}
		require.NotContains(t, filled, " # ", "comments make the link longer")
		require.Contains(t, filled, `background_color: "#1d1c1d"`)
		require.Less(t, len(link), 4000)
	}
	for _, name := range []string{" Bobbin", "two\nlines", strings.Repeat("x", 36), "SlackFixer"} {
		_, err := App{Name: name}.Manifest()
		require.Error(t, err, name)
	}
}
