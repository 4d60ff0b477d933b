package main

import (
	"encoding/json"
	"iter"
	"maps"
	"os"
	"regexp"
	"slices"
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
	page, err := os.ReadFile("../../docs/configuration/example.yaml")
	require.NoError(t, err)
	shown := string(page)
	// with the keys that it shows as comments
	whole := commentedKey.ReplaceAllString(shown, "$1$2")
	require.NotEqual(t, shown, whole)
	require.Empty(t, missingKeys(&s, read(whole), ""), "keys that the documented example does not show")
	require.NotEmpty(t, missingKeys(&s, read(shown), ""), "the control: without the keys in comments")
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

// commentedKey matches the beginning of a line of the documented example that shows a key as a comment.
var commentedKey = regexp.MustCompile(`(?m)^( *)# ([^#])`)

// missingKeys returns the paths of the keys of a schema that no part of an example has. shown is the part of
// the example that the schema describes.
func missingKeys(s *jsonschema.Schema, shown any, path string) (missing []string) {
	for _, either := range s.AnyOf {
		if either.Type == "object" || either.Type == "array" {
			s = either
		}
	}
	switch {
	case s.Items != nil:
		return missingInAll(s.Items, slices.Values(asList(shown)), path+"[]")
	case len(s.Properties) == 0 && s.AdditionalProperties != nil && path != "":
		return missingInAll(s.AdditionalProperties, maps.Values(asMap(shown)), path+".*")
	}
	for _, key := range slices.Sorted(maps.Keys(s.Properties)) {
		value, found := asMap(shown)[key]
		if !found {
			missing = append(missing, path+"."+key)
			continue
		}
		missing = append(missing, missingKeys(s.Properties[key], value, path+"."+key)...)
	}
	return missing
}

// missingInAll returns the keys that none of the values has: one may show what another one leaves out.
func missingInAll(s *jsonschema.Schema, values iter.Seq[any], path string) (missing []string) {
	first := true
	for value := range values {
		lacks := missingKeys(s, value, path)
		if first {
			missing = lacks
		}
		first = false
		missing = slices.DeleteFunc(missing, func(key string) bool { return !slices.Contains(lacks, key) })
	}
	if first && len(s.Properties) > 0 {
		return []string{path}
	}
	return missing
}

func asList(v any) []any {
	list, _ := v.([]any)
	return list
}

func asMap(v any) map[string]any {
	m, _ := v.(map[string]any)
	return m
}
