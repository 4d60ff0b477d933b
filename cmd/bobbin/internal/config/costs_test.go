package config

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// demoUsage is what the models of one run of bobbin demo used: the sums of its table agent_usage. The story
// happy checks that it still is about that much.
var demoUsage = model.Usage{Input: 80608, Cached: 61865, Output: 1897}

// bytesPerToken is the program's own estimate for English and code, where an endpoint sends no figures.
const bytesPerToken = 3.6

// pricedModels are the columns of the table in docs/costs.md.
var pricedModels = []string{
	"gpt-5-mini", "gpt-5", "claude-haiku-4-5", "claude-sonnet-4-5", "claude-opus-4-6",
	"gemini-3-pro-preview",
}

// A trial is a row of the first table in docs/engineering/trials.md.
type trial struct {
	project string
	solved  bool
	used    model.Usage // without what was written, which was not recorded
}

var (
	trialRow = regexp.MustCompile(
		`(?m)^\| (\S+/\S+) \|.*\| (yes|\*\*no\*\*) \| \d+ \| ([\d,]+) kB \| (\d+) % \|`)
	computedCosts = regexp.MustCompile(`(?s)<!-- costs: .*?<!-- end of costs -->`)
)

// TestCostsAreComputed checks the table in docs/costs.md: what the project has recorded, times the prices
// that come with the program. UPDATE_GOLDEN=1 writes it.
func TestCostsAreComputed(t *testing.T) {
	t.Parallel()
	page := filepath.Join(docs, "costs.md")
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	require.Regexp(t, computedCosts, string(text))
	want := computedCosts.ReplaceAllLiteralString(string(text), costTable(t, readTrials(t)))
	if os.Getenv("UPDATE_GOLDEN") != "" {
		require.NoError(t, os.WriteFile(page, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(text), "UPDATE_GOLDEN=1 go test ./cmd/bobbin/internal/config writes it")
}

// readTrials returns the trials, the smallest first.
func readTrials(t *testing.T) (trials []trial) {
	rows := trialRow.FindAllStringSubmatch(guide(t, "engineering/trials.md"), -1)
	require.Len(t, rows, 10)
	for _, row := range rows {
		kB, err := strconv.Atoi(strings.ReplaceAll(row[3], ",", ""))
		require.NoError(t, err)
		repeated, err := strconv.Atoi(row[4])
		require.NoError(t, err)
		input := float64(kB) * 1000 / bytesPerToken
		trials = append(trials, trial{
			project: row[1],
			solved:  row[2] == "yes",
			used:    model.Usage{Input: int(input), Cached: int(input * float64(repeated) / 100)},
		})
	}
	slices.SortFunc(trials, func(a, b trial) int { return a.used.Input - b.used.Input })
	return trials
}

// costTable returns the marked part of the page.
func costTable(t *testing.T, trials []trial) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<!-- costs: computed from prices.json and engineering/trials.md -->\n\n"+
		"| USD, by the prices of %s | tokens read | repeated |", PricesFrom())
	for _, name := range pricedModels {
		fmt.Fprintf(&b, " %s |", name)
	}
	b.WriteString("\n|---|---|---|" + strings.Repeat("---|", len(pricedModels)) + "\n")
	write := func(what string, used model.Usage, read, repeated string) {
		fmt.Fprintf(&b, "| %s | %s | %s |", what, read, repeated)
		for _, name := range pricedModels {
			p, known := shippedPrice(name)
			require.True(t, known, name)
			usd := model.Price{Input: p.Input, Cached: p.Cached, Output: p.Output}.Of(used)
			fmt.Fprintf(&b, " %.2f |", usd)
		}
		b.WriteString("\n")
	}
	row := func(what string, used model.Usage) {
		write(what, used, fmt.Sprintf("%d,000", (used.Input+500)/1000),
			fmt.Sprintf("%.0f %%", 100*float64(used.Cached)/float64(used.Input)))
	}
	row("the demo's story, with what is written", demoUsage)
	for _, trial := range trials {
		what := trial.project
		if !trial.solved {
			what += ", not solved"
		}
		row(what, trial.used)
	}
	solved := slices.DeleteFunc(slices.Clone(trials), func(trial trial) bool { return !trial.solved })
	middle := solved[len(solved)/2]
	row(middle.project+", without a cache", model.Usage{Input: middle.used.Input})
	write("10,000 tokens written", model.Usage{Output: 10_000}, "", "")
	gpt5, _ := shippedPrice("gpt-5")
	price := model.Price{Input: gpt5.Input, Cached: gpt5.Cached, Output: gpt5.Output}
	fmt.Fprintf(&b, "\nSo a small fix with gpt-5, such as that of %s, costs about $%.2f "+
		"for what the model reads, and $%.2f for each\n10,000 tokens that it writes and thinks.\n",
		middle.project, price.Of(middle.used), price.Of(model.Usage{Output: 10_000}))
	b.WriteString("\n<!-- end of costs -->")
	return b.String()
}
