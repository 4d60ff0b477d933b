package config

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
)

// read parses the table in the text of a configuration file.
func readModels(text string) (t ModelTable, err error) {
	p := strictyaml.NewProblems("bobbin.yaml",
		[]strictyaml.Section{{Of: AgentModel{}, Name: "an agent"}, {Of: Model{}, Name: "a model"}})
	if p.Decode([]byte(text), &t) {
		t.check(p)
	}
	return t, p.Err()
}

// TestEndpointsOfTheGuide reads the examples that docs/models.md gives.
func TestEndpointsOfTheGuide(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../docs/models.md")
	require.NoError(t, err)
	examples := 0
	for _, part := range strings.Split(string(text), "```yaml\n")[1:] {
		text, _, _ := strings.Cut(part, "```")
		c, err := readModels(text)
		require.NoError(t, err, text)
		examples++
		for name, m := range c.Models {
			require.NotEmpty(t, m.URL+m.KeyEnv, name)
		}
	}
	require.Equal(t, 7, examples)
}

func TestWrongEndpointsAreSaid(t *testing.T) {
	t.Parallel()
	for field, want := range map[string]string{
		"url: api.example.com/v1": ".url has to begin with http:// or https://",
		"url: 'https://sk-123@api.example.com/v1'": ".url has a user or key in it; " +
			"name a variable with key_env",
		"url: 'https://api.example.com/v1?api-version=1'": ".url has a query or fragment, " +
			"which no request would keep; leave it out",
		"url: 'https://api.example.com/v1/chat/completions'": ".url ends in /chat/completions; leave that " +
			"out",
		"key_env: sk-123": ".key_env has to be the name of a variable " +
			"such as OPENROUTER_API_KEY; the key itself does not belong here",
		"key_header: 'api key'": `.key_header "api key" is not the name of a header`,
		"headers: {authorization: Bearer sk-123}": ".headers: the header authorization is set by Bobbin; " +
			"put a key into a variable, and name it with key_env",
		`headers: {X-Title: "a\nb"}`: ".headers: the value of the header X-Title has " +
			"characters that a header cannot have",
		"headers: {'X Title': b}": `.headers: "X Title" is not the name of a header`,
		"served_as: ' x'":         `.served_as " x" has white space around it`,
	} {
		_, err := readModels("agents: {deep: {model: m}}\nmodels:\n  m:\n    " + field + "\n")
		require.ErrorContains(t, err, "bobbin.yaml:4: models.m"+want, field)
		require.NotContains(t, err.Error(), "sk-123", field)
	}
}

// TestWhoNeedsTheSharedEndpoint checks that the shared endpoint is needed only if a model in use is served
// there.
func TestWhoNeedsTheSharedEndpoint(t *testing.T) {
	t.Parallel()
	var every strings.Builder
	for _, name := range []string{"orchestrator", "quick", "deep", "visual-engineering", "consultant"} {
		every.WriteString("  " + name + ": {model: local}\n")
	}
	own, key := "models: {local: {url: 'http://localhost:11434/v1'}}\n",
		"models: {local: {key_env: LOCAL_KEY}}\n"
	for text, want := range map[string]bool{
		"": true, "agents: {deep: {model: local}}\n" + own: true, "agents:\n" + every.String() + own: false,
		"agents: {deep: {model: local}}\n" + key: true, "agents:\n" + every.String() + key: false,
		"agents:\n" + every.String() +
			"models: {local: {url: 'http://localhost:11434/v1', fallback: [gpt-5]}}\n": true,
	} {
		c, err := readModels(text)
		require.NoError(t, err)
		require.Equal(t, want, c.NeedsSharedEndpoint(), text)
	}
}
