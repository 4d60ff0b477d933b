package config

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestShippedPricesAreWhole checks the embedded table: a date, and for each model prices that can be.
func TestShippedPricesAreWhole(t *testing.T) {
	t.Parallel()
	_, err := time.Parse(time.DateOnly, PricesFrom())
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, list := range shippedPrices().Lists {
		require.NotEmpty(t, list.Source)
		for name, p := range list.Models {
			require.False(t, seen[name], name)
			seen[name] = true
			require.Empty(t, snapshot.FindString(name), "a price is that of all snapshots: %s", name)
			require.Positive(t, p[1], name)
			require.Less(t, p[1], p[0], "%s: cached input is cheaper", name)
			require.Less(t, p[0], p[2], "%s: output is dearer than input", name)
		}
	}
	require.True(t, seen["gpt-5"], "the default model")
	require.Contains(t, guide(t, "models.md"), "as of "+PricesFrom())
}

// TestPriceOf checks which price counts: the configuration's, or the table's, or none.
func TestPriceOf(t *testing.T) {
	t.Parallel()
	listed := Price{Input: 1.25, Cached: 0.125, Output: 10, Source: "OpenAI's API price list, standard tier"}
	local := ModelEndpoint{URL: "http://localhost:11434/v1"}
	gateway := ModelTable{SharedURL: "https://llm.acme.com/v1"}
	here := ModelTable{SharedURL: "http://127.0.0.1:4000/v1"}
	renamed := modelTable(Model{ModelEndpoint: ModelEndpoint{ServedAs: "gpt-5"}})
	two := new(2.0)
	three := new(3.0)
	priced := modelTable(Model{Input: two, Output: three})
	cached := modelTable(Model{Input: two, Cached: new(0.5)})
	pricedHere := modelTable(Model{Input: two, Output: three, ModelEndpoint: local})
	for name, test := range map[string]struct {
		table ModelTable
		model string
		want  Price // zero: not known
	}{
		"of the table":         {model: "gpt-5", want: listed},
		"a snapshot":           {model: "gpt-5-2025-08-07", want: listed},
		"of no list":           {model: "gpt-5-turbo-of-ours"},
		"at a gateway":         {table: gateway, model: "gpt-5", want: listed},
		"on this machine":      {table: here, model: "gpt-5"},
		"own endpoint here":    {table: modelTable(Model{ModelEndpoint: local}), model: "m"},
		"under another name":   {table: renamed, model: "m", want: listed},
		"configured":           {table: priced, model: "m", want: Price{Input: 2, Cached: 2, Output: 3}},
		"configured, cached":   {table: cached, model: "m", want: Price{Input: 2, Cached: 0.5}},
		"configured, but here": {table: pricedHere, model: "m", want: Price{Input: 2, Cached: 2, Output: 3}},
	} {
		got, known := test.table.PriceOf(test.model)
		require.Equal(t, test.want != Price{}, known, name)
		require.Equal(t, test.want, got, name)
	}
	free := modelTable(Model{Input: new(0.0), Output: new(0.0)})
	got, known := free.PriceOf("m")
	require.True(t, known, "a price of zero is a price")
	require.Zero(t, got)
}

func modelTable(m Model) ModelTable { return ModelTable{Models: map[string]Model{"m": m}} }

// TestModelsByPrice checks which models in use have a price of the table, and which have none.
func TestModelsByPrice(t *testing.T) {
	t.Parallel()
	c := Config{ModelTable: ModelTable{Agents: map[string]AgentModel{
		"orchestrator": {Model: "claude-opus-4-5-20251101"}, "quick": {Model: "ours"},
	}}}
	names, sources := c.ListedModels()
	require.Equal(t, []string{"claude-opus-4-5-20251101", "gpt-5"}, names)
	require.Equal(t,
		[]string{"Anthropic's API price list", "OpenAI's API price list, standard tier"}, sources)
	require.Equal(t, []string{"ours"}, c.ModelsWithoutPrice())
	require.Empty(t, c.ModelsNotLimited())
	c.Limits.Session.USD = 5
	require.Equal(t, []string{"ours"}, c.ModelsNotLimited())
}
