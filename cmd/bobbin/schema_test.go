package main

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
)

// TestTheSchemaKnowsTheConfiguration checks that the schema accepts the documented examples, and refuses
// unknown keys and values of the wrong type.
func TestTheSchemaKnowsTheConfiguration(t *testing.T) {
	t.Parallel()
	code, out, errs := call(t, t.Context(), nil, "schema")
	require.Equal(t, cli.ExitOK, code, errs)
	var s jsonschema.Schema
	require.NoError(t, json.Unmarshal([]byte(out), &s))
	schema, err := s.Resolve(nil)
	require.NoError(t, err)
	read := func(text string) (v any) {
		t.Helper()
		require.NoError(t, yaml.Unmarshal([]byte(text), &v))
		b, err := json.Marshal(v)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(b, &v))
		return v
	}
	page, err := os.ReadFile("../../docs/configuration.md")
	require.NoError(t, err)
	_, shown, found := strings.Cut(string(page), "```yaml\n")
	require.True(t, found)
	shown, _, _ = strings.Cut(shown, "```")
	// with the keys that it shows as comments
	whole := regexp.MustCompile(`(?m)^    # (\w+: )`).ReplaceAllString(shown, "    $1")
	require.NotEqual(t, shown, whole)
	endpoints, err := os.ReadFile("../../docs/models.md")
	require.NoError(t, err)
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(endpoints), -1)
	require.NotEmpty(t, examples)
	for _, example := range examples {
		require.NoError(t, schema.Validate(read(good+example[1])), example[1])
	}
	for _, good := range []string{
		shown, whole, good, good + "limits: {session: {usd: 5, tokens: 2M, output: 1GB}}\n",
		"repositories: [{name: a, url: /a, setup: off, owners: mention, approvers: [U0123ABCD]}]\n",
	} {
		require.NoError(t, schema.Validate(read(good)), good)
	}
	for _, bad := range []string{
		"nonsense: 1\n", "repositories: {}\n", "repositories: [{nme: shop}]\n",
		"repositories: [{approvers: U1}]\n", "limits: {session: {usd: [5]}}\n",
		"slack: {connections: two}\n", "models: [m]\n",
	} {
		require.Error(t, schema.Validate(read(bad)), bad)
	}
}
