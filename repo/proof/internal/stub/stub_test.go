package stub

import (
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func tree(text string) fstest.MapFS { return fstest.MapFS{"money/money.go": {Data: []byte(text)}} }

func TestWhatTheOlderPackageLacks(t *testing.T) {
	t.Parallel()
	older := tree("package money\n\ntype Cents int\n\nfunc Split(total Cents) []Cents { return nil }\n")
	newer := tree(`package money

import (
	"errors"
	"time"
)

// Limit is the most.
const Limit = 3

type Cents int

type Share struct{ Part Cents }

func Split(total Cents, n int) []Cents { return nil }

// Shares does it.
func Shares(total Cents, at time.Time) ([]Share, error) { return nil, errors.New("no") }

func (c *Cents) Add(more Cents) { *c += more }

func init() {}
`)
	files := Go(older, newer, "money")
	require.Equal(t, []File{{Name: "bobbin_stub0.go", Names: []string{"Limit", "Share", "Shares", "Cents.Add"}, Text: files[0].Text}}, files)
	for _, want := range []string{"import \"time\"", "const Limit = 3", "type Share struct{ Part Cents }", "Shares(total Cents, at time.Time) (result0OfStub []Share, result1OfStub error)", "Add(more Cents)"} {
		require.Contains(t, files[0].Text, want)
	}
	for _, not := range []string{"errors", "init", "Split", "type Cents"} {
		require.NotContains(t, files[0].Text, not)
	}
	require.Empty(t, Go(newer, newer, "money"))
	require.Empty(t, Go(older, tree("package money\n\nfunc Split("), "money"))
}

func FuzzGo(f *testing.F) {
	f.Add("package a\n", "package a\n\nfunc (t *T[K]) F(x b.C) (d, e int) { return }\n")
	f.Fuzz(func(t *testing.T, older, newer string) {
		for _, file := range Go(tree(older), tree(newer), "money") {
			require.NotEmpty(t, file.Names)
		}
	})
}
