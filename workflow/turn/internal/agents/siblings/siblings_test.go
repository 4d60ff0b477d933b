package siblings

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/evidence"
)

// shop has the same defect twice, and a line that only looks like it.
var shop = map[string]string{
	"money/split.go":       "package money\n\nfunc Split() {\n\tshare := total * w / sum\n}\n",
	"cart/total.go":        "package cart\n\nfunc Total() {\n\teach := total * n / all\n}\n",
	"cart/tax.go":          "package cart\n\nvar half = total * 1 / 2\n",
	".github/workflows/ci": "run: total * 2 / 3\n",
}

// open writes a tree, and adds a tool result that shows each of the places in read.
func open(t testing.TB, tree map[string]string, read ...string) Search {
	t.Helper()
	dir := t.TempDir()
	for name, text := range tree {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	t.Cleanup(func() { _ = root.Close() })
	s := Search{
		Root:   root,
		Folder: ".",
		Cause:  "Split drops the rest (money/split.go:4).",
		Change: "Split hands out every cent",
	}
	for _, at := range read {
		s.Past = told(s.Past, at+": x", false)
	}
	return s
}

// told adds a result of the tool search to p; wrong means that the call was refused.
func told(p evidence.Past, text string, wrong bool) evidence.Past {
	id := fmt.Sprint(len(p.Messages))
	p.Messages = append(p.Messages, model.Message{
		Role:  model.Assistant,
		Calls: []model.Call{{ID: id, Name: "search", Args: json.RawMessage(`{}`)}},
	},
		model.Message{Role: model.ToolRole, CallID: id, Text: text, Wrong: wrong})
	return p
}

func settle(t testing.TB, s Search, said *workflow.Siblings) string {
	t.Helper()
	wrong, err := s.Settle(t.Context(), said)
	require.NoError(t, err)
	return wrong
}

const shape = `total \* \w+ / `

// The program finds places that the model did not name, sends the model back once, and then reports the
// places as not looked at.
func TestWhatTheModelDidNotJudgeIsSentBackOnceAndThenNotLookedAt(t *testing.T) {
	t.Parallel()
	s := open(t, shop, "cart/total.go:4")
	said := workflow.Siblings{
		Pattern: shape,
		Places: []workflow.Sibling{{
			At: "cart/total.go:4", Verdict: "affected", Why: "the same\nrounding", InFix: true,
		}},
	}
	before := said
	back := settle(t, s, &said)
	require.Equal(t, "Not posted yet. The pattern `total \\* \\w+ /` of siblings finds these, "+
		"which you did not judge, or not after reading them: .github/workflows/ci:1, cart/tax.go:3. "+
		"Read each with a tool: a verdict on a line that you did not read is dropped. "+
		"Then report again with a verdict and its why in places; "+
		"people are told of the others that nobody looked at them. "+
		"An affected one is in this fix only if what you say will change names its file:line.", back)
	require.Equal(t, before, said)

	s.Past = told(s.Past, back, true)
	require.Empty(t, settle(t, s, &said), "it is told once")
	require.Equal(t, []workflow.Sibling{
		{At: ".github/workflows/ci:1", Verdict: "not_looked_at"},
		{At: "cart/tax.go:3", Verdict: "not_looked_at"},
		{At: "cart/total.go:4", Verdict: "affected", Why: "the same rounding"},
	}, said.Places)
	require.False(t, said.Partly)

	said.Pattern = `\* \w+ / `
	require.NotEmpty(t, settle(t, s, &said), "another pattern is another question")
}

// A place that only a refusal named does not count as read.
func TestAVerdictOnWhatNobodyReadIsNone(t *testing.T) {
	t.Parallel()
	s := open(t, map[string]string{"a.go": "x * y\n", "b.go": "x * y\n", "b.go.txt": "x * y\n"})
	s.Cause = "a.go:1"
	said := workflow.Siblings{
		Pattern: "x * y",
		Literal: true,
		Places: []workflow.Sibling{
			{At: "b.go:1", Verdict: "not_affected", Why: "I think"},
			{At: "b.go.txt:1", Verdict: "affected", Why: "surely"},
		},
	}
	back := settle(t, s, &said)
	require.Contains(t, back, "or not after reading them: b.go:1, b.go.txt:1. Read each")
	s.Past = told(told(s.Past, back, true), "b.go.txt:12: x * y", false)
	require.Empty(t, settle(t, s, &said))
	require.Equal(t, []workflow.Sibling{
		{At: "b.go:1", Verdict: "not_looked_at"},
		{At: "b.go.txt:1", Verdict: "not_looked_at"},
	}, said.Places)
}

// An affected place is in the fix only if the text of the change names it.
func TestOnlyWhatTheReportNamesIsInTheFix(t *testing.T) {
	t.Parallel()
	s := open(t, shop, "cart/total.go:4", "cart/tax.go:3", ".github/workflows/ci:1")
	for change, inFix := range map[string]bool{
		"":                         false,
		"Split hands out the rest": false,
		"Split and Total (cart/total.go:4) hand out the rest": true,
		"The loops at `cart/total.go:3-5`.":                   true,
		"money/split.go and cart/total.go.":                   true,
		"./cart/total.go":                                     true,
		"Split, and total.go:2, 4 and 9":                      true,
		"total.go does so, too":                               true,
		"otal.go:4":                                           false,
		"cart/tax.go:3 returns 4":                             false,
		"cart/total.go:40":                                    false,
		"x/cart/total.go:4":                                   false,
		"cart/total.go.orig, cart":                            false,
	} {
		s.Change = change
		said := workflow.Siblings{Pattern: shape, Places: []workflow.Sibling{
			{At: "./cart/total.go:4", Verdict: "affected", Why: "the same"},
			{At: "cart/tax.go:3", Verdict: "not_affected", Why: "even"},
			{At: "`.github/workflows/ci:1`", Verdict: "not_affected", Why: "no code"},
		}}
		require.Empty(t, settle(t, s, &said), change)
		require.Equal(t,
			workflow.Sibling{At: "cart/total.go:4", Verdict: "affected", Why: "the same", InFix: inFix},
			said.Places[2], change)
		require.False(t, said.Places[1].InFix)
	}
	// A second line in the cause's own file has to be named by its number.
	s = open(t, map[string]string{"a.go": "x / y\nz\nx / y\n"}, "a.go:3")
	s.Cause, s.Change = "wrong at a.go:1", "a.go rounds"
	said := workflow.Siblings{
		Pattern: "x / y",
		Places:  []workflow.Sibling{{At: "a.go:3", Verdict: "affected", Why: "the same"}},
	}
	require.Empty(t, settle(t, s, &said))
	require.Equal(t, []workflow.Sibling{{At: "a.go:3", Verdict: "affected", Why: "the same"}}, said.Places)
}

func TestTheCauseIsNoSibling(t *testing.T) {
	t.Parallel()
	for cause, want := range map[string][]string{
		"money/split.go:4": {
			".github/workflows/ci:1", "cart/tax.go:3", "cart/total.go:4",
		},
		"Split (split.go:3-5) is wrong": {
			".github/workflows/ci:1", "cart/tax.go:3", "cart/total.go:4",
		},
		"money/split.go:4, as cart/total.go:4": {".github/workflows/ci:1", "cart/tax.go:3"},
		"called in money/split.go:1, wrong in cart/tax.go:3.": {
			".github/workflows/ci:1", "cart/total.go:4", "money/split.go:4",
		},
		"the job .github/workflows/ci:1": {
			"cart/tax.go:3", "cart/total.go:4", "money/split.go:4",
		},
	} {
		s := open(t, shop)
		s.Cause = cause
		said := workflow.Siblings{Pattern: shape}
		s.Past = told(s.Past, settle(t, s, &said), true)
		require.Empty(t, settle(t, s, &said), cause)
		var at []string
		for _, p := range said.Places {
			at = append(at, p.At)
		}
		require.Equal(t, want, at, cause)
	}
	// A place that the cause names in addition to its own line may be judged by itself.
	s := open(t, shop, "cart/total.go:4", "money/split.go:4")
	s.Cause = "money/split.go:4, as cart/total.go:4"
	said := workflow.Siblings{
		Pattern: `total \* (w|n) /`,
		Places: []workflow.Sibling{
			{At: "cart/total.go:4", Verdict: "affected", Why: "so"},
			{At: "money/split.go:4", Verdict: "affected", Why: "it is the cause"},
		},
	}
	require.Empty(t, settle(t, s, &said))
	require.Equal(t, []workflow.Sibling{{At: "cart/total.go:4", Verdict: "affected", Why: "so"}}, said.Places)
}

func TestPatternsThatAreRefused(t *testing.T) {
	t.Parallel()
	tree := map[string]string{"long.txt": strings.Repeat("line\n", 200)}
	for name, text := range shop {
		tree[name] = text
	}
	one := func(at, verdict string) []workflow.Sibling {
		return []workflow.Sibling{{At: at, Verdict: verdict, Why: "so"}}
	}
	for _, c := range []struct {
		said workflow.Siblings
		want string
	}{
		{workflow.Siblings{}, "siblings: The pattern is empty."},
		{
			workflow.Siblings{Pattern: "("},
			"siblings: error parsing regexp: missing closing ): `(`. Patterns are RE2",
		},
		{workflow.Siblings{Pattern: "a(?=b)"}, "no look-around"},
		{workflow.Siblings{Pattern: strings.Repeat("a", 2001)}, "siblings: The pattern is too long."},
		{workflow.Siblings{Pattern: `\pL{1000}\pN{1000}`}, "siblings: The pattern is too large"},
		{
			workflow.Siblings{Pattern: ".*"},
			"siblings: the pattern `.*` matches 214 lines, which is the shape of no defect.",
		},
		{workflow.Siblings{Pattern: "^"}, "which is the shape of no defect"},
		{
			workflow.Siblings{Pattern: "(x+x+)+y"},
			"does not match the cause's own line (money/split.go:4), so that it finds not even this defect.",
		},
		{workflow.Siblings{Pattern: "each :="}, "does not match the cause's own line"},
		{workflow.Siblings{Pattern: "total\n"}, "one line at a time"},
		{
			workflow.Siblings{Pattern: shape, Places: one("cart/total.go", "affected")},
			"siblings: \"cart/total.go\" is no place; at is file:line.",
		},
		{workflow.Siblings{Pattern: shape, Places: one("", "affected")}, "is no place"},
		{
			workflow.Siblings{Pattern: shape, Places: one("cart/total.go:99999999999999999999", "affected")},
			"is no place",
		},
		{
			workflow.Siblings{Pattern: shape, Places: one("cart/total.go:3", "affected")},
			"finds nothing at cart/total.go:3. Correct the place, widen the pattern (a|b), " +
				"or leave the place out.",
		},
		{
			workflow.Siblings{Pattern: shape, Places: one("../../etc/passwd:1", "affected")},
			"finds nothing at ../../etc/passwd:1",
		},
		{
			workflow.Siblings{
				Pattern: shape,
				Places: append(one("cart/total.go:4", "affected"),
					one("cart/total.go:1-9", "not_affected")...),
			},
			"siblings: cart/total.go:4 is called both affected and not affected.",
		},
	} {
		s := open(t, tree, "cart/total.go:4")
		before := c.said
		require.Contains(t, settle(t, s, &c.said), c.want)
		require.Equal(t, before, c.said)
	}
	s := open(t, tree)
	s.Cause = "Split drops the rest"
	require.Contains(t, settle(t, s, &workflow.Siblings{Pattern: shape}), "siblings: the cause names no line")
	s.Folder = "cart"
	s.Cause = "money/split.go:4"
	require.Contains(t, settle(t, s, &workflow.Siblings{Pattern: shape}),
		"does not match the cause's own line", "what lies outside of the folder is not searched")
}

// The tree is searched like by the agents' search tool: binary, private and ignored files and symbolic
// links are skipped.
func TestWhatASearchPassesOver(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "secret.go"), []byte("x / y\n"), 0o644))
	s := open(t, map[string]string{
		"a.go":         "x / y\n",
		"picture.bin":  "x / y\n\x00\x01\x02",
		".env":         "x / y\n",
		".gitignore":   "out/\n",
		"out/b.go":     "x / y\n",
		"new\nline.go": "x / y\n",
	}, `"new\nline.go":1`)
	require.NoError(t,
		os.Symlink(filepath.Join(outside, "secret.go"), filepath.Join(s.Root.Name(), "link.go")))
	require.NoError(t, os.Symlink(outside, filepath.Join(s.Root.Name(), "folder")))
	s.Cause = "a.go:1"
	said := workflow.Siblings{Pattern: "x / y"}
	back := settle(t, s, &said)
	require.Contains(t, back, `which you did not judge: "new\nline.go:1". Read each`)
	s.Past = told(s.Past, back, true)
	require.Empty(t, settle(t, s, &said))
	require.Equal(t, []workflow.Sibling{{At: "new\nline.go:1", Verdict: "not_looked_at"}}, said.Places)

	huge, err := s.Root.Create("huge.go")
	require.NoError(t, err)
	require.NoError(t, huge.Truncate(9<<20))
	require.NoError(t, huge.Close())
	require.Empty(t, settle(t, s, &said))
	require.True(t, said.Partly)
}

// If there are too many places to send the model back to, they are only listed as not looked at.
func TestManyPlacesAreCounted(t *testing.T) {
	t.Parallel()
	tree := map[string]string{"a.go": "x / y\n"}
	var read []string
	var judged []workflow.Sibling
	for i := range 40 {
		name := fmt.Sprintf("p%02d.go", i)
		tree[name] = "x / y\n"
		if i < 12 {
			read = append(read, name+":1")
			judged = append(judged, workflow.Sibling{At: name + ":1", Verdict: "not_affected", Why: "even"})
		}
	}
	s := open(t, tree, read...)
	s.Cause = "a.go:1"
	said := workflow.Siblings{Pattern: "x / y", Places: judged}
	require.Empty(t, settle(t, s, &said))
	require.Len(t, said.Places, 40)
	require.Equal(t, "not_affected", said.Places[11].Verdict)
	require.Equal(t, "not_looked_at", said.Places[12].Verdict)
}
