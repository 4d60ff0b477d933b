package main

import (
	"context"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// played returns a row with three sides: ours and peer return the given values in turn, then fail, and absent
// is not installed.
func played(ours, peer []float64, fail error) row {
	from := func(values []float64) func(context.Context) ([]float64, error) {
		return func(context.Context) ([]float64, error) {
			if len(values) == 0 {
				return nil, fail
			}
			v := values[0]
			values = values[1:]
			return []float64{v}, nil
		}
	}
	return row{
		name: "played", what: "A row of the test's", figures: []figure{{name: "all", unit: "ms", most: 2}},
		open: func(context.Context, *bench) ([]side, func(), error) {
			return []side{
				{name: "ours", turn: from(ours)},
				{name: "peer", ratio: []float64{0.5}, turn: from(peer)},
				{name: "absent", lacks: "npm install absent"},
			}, nil, nil
		},
	}
}

func TestARatioIsThatOfPairs(t *testing.T) {
	t.Parallel()
	res := measure(t.Context(), &bench{}, played([]float64{1, 20, 2}, []float64{2, 80, 3}, nil), 3)
	require.NoError(t, res.err)
	require.Equal(t, spread{0.25, 0.5, 2.0 / 3}, spreadOf(res.ratios(1, 0)),
		"not the ratio of medians, which is 2 / 3")
	lines := res.lines()
	require.Equal(t, line{
		"all", "2 ms", "peer", "3 ms", "0.5 × (0.25 × to 0.667 ×)", "at most 2 ms, 0.5 × of it", "yes",
	}, lines[0])
	require.Equal(t, "not measured", lines[1].theirs)
}

func TestABoundThatDoesNotHoldIsSaid(t *testing.T) {
	t.Parallel()
	slow := measure(t.Context(), &bench{}, played([]float64{2}, []float64{3}, nil), 1)
	require.Equal(t, "no", slow.lines()[0].held)
	much := measure(t.Context(), &bench{}, played([]float64{3}, []float64{30}, nil), 1)
	require.Equal(t, "no", much.lines()[0].held, "the ratio holds, the figure itself does not")
}

func TestThePageSaysWhatIsLacking(t *testing.T) {
	t.Parallel()
	fails := measure(t.Context(), &bench{}, played([]float64{1}, nil, errors.New("the peer fell over")), 1)
	absent := result{row: row{name: "other", what: "Another row"}, left: "apt-get install other"}
	whole := measure(t.Context(), &bench{}, played([]float64{1}, []float64{2}, nil), 1)
	page := pageOf([]string{"2 cores"}, []result{whole, fails, absent}, time.Unix(0, 0), 5)
	require.Contains(t, page,
		"| all | 1 ms | peer | 2 ms | 0.5 × (0.5 × to 0.5 ×) | at most 2 ms, 0.5 × of it | yes |")
	require.Contains(t, page, "- A row of the test's (`played`): it failed: peer: the peer fell over")
	require.Contains(t, page, "- A row of the test's beside absent: npm install absent")
	require.Contains(t, page, "- Another row (`other`): apt-get install other")
}

// What a page says of a row is read from the page as it was written.
func TestAPageIsReadAgain(t *testing.T) {
	t.Parallel()
	whole := measure(t.Context(), &bench{}, played([]float64{1}, []float64{2}, nil), 1)
	file := filepath.Join(t.TempDir(), "page.md")
	page := pageOf([]string{"Bobbin at abc1234", "2 cores"}, []result{whole}, time.Unix(0, 0), 5)
	require.NoError(t, os.WriteFile(file, []byte(page), 0o644))
	last, err := readPage(file)
	require.NoError(t, err)
	var out strings.Builder
	last.print(&out, "played")
	require.Contains(t, out.String(), "(1 January 1970, Bobbin at abc1234)")
	require.Regexp(t, `all +1 ms +beside peer +2 ms  0.5 ×`, out.String())
	require.Len(t, last.lines["played"], 2, "a line for each peer")
	last.print(&out, "other")
	require.Contains(t, out.String(), "this row is not on that page")

	require.NoError(t, os.WriteFile(file, []byte("# Performance\n"), 0o644))
	_, err = readPage(file)
	require.ErrorContains(t, err, "has no figures")
}

func TestNumbersAreShort(t *testing.T) {
	t.Parallel()
	for want, v := range map[string]float64{
		"0.0123 s": 0.01234,
		"1.5 s":    1.5,
		"271 s":    270.9,
		"123456 s": 123456,
		"0.0004 s": 0.0004,
	} {
		require.Equal(t, want, number(v, "s"))
	}
	require.Equal(t, "-", number(math.NaN(), "s"))
}

func TestRowsAreChosenByName(t *testing.T) {
	t.Parallel()
	all := []row{{name: "a"}, {name: "b"}, {name: "c"}}
	chosen, err := choose(all, "c,a")
	require.NoError(t, err)
	require.Len(t, chosen, 2)
	require.Equal(t, "a", chosen[0].name)
	_, err = choose(all, "a,x")
	require.ErrorContains(t, err, `no row "x"`)
}

func TestEveryRowIsWhole(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, r := range rows() {
		require.NotEmpty(t, r.what, r.name)
		require.NotEmpty(t, r.figures, r.name)
		require.NotNil(t, r.open, r.name)
		require.False(t, seen[r.name], r.name)
		seen[r.name] = true
	}
}
