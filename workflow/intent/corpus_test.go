package intent_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/intent"
)

// corpus returns the messages of a file in testdata, by the section ("= stop") above them.
func corpus(t *testing.T, name string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	require.NoError(t, err)
	all := map[string][]string{}
	section := ""
	for line := range strings.SplitSeq(string(text), "\n") {
		if heading, ok := strings.CutPrefix(line, "= "); ok {
			section = heading
		} else if line != "" && !strings.HasPrefix(line, "# ") {
			all[section] = append(all[section], strings.ReplaceAll(line, `\n`, "\n"))
		}
	}
	return all
}

// Of what people write beside the work, nothing stops it, and at most two in a hundred hold it.
func TestHarmlessMessages(t *testing.T) {
	t.Parallel()
	messages := corpus(t, "harmless.txt")[""]
	require.GreaterOrEqual(t, len(messages), 200)
	held, tempting := 0, 0
	for _, m := range messages {
		if refusingWord.MatchString(m) {
			tempting++ // the control: a reader of single words would refuse
		}
		switch (intent.Lexicon{}).ReadRefusal(m) {
		case intent.RefusalStop:
			t.Errorf("%q stops", m)
		case intent.RefusalHold:
			held++
			t.Logf("%q holds", m)
		}
	}
	t.Logf("%d of %d harmless messages hold", held, len(messages))
	require.LessOrEqual(t, held*100, 2*len(messages))
	require.Greater(t, tempting, 200)
}

var refusingWord = regexp.MustCompile(
	`(?i)\b(?:stop\w*|wait\w*|hold\w*|halt\w*|no|not|don'?t|cancel\w*|abort\w*|never|wrong)\b`,
)

// All messages that refuse are refusals, and those that clearly say stop stop.
func TestRefusals(t *testing.T) {
	t.Parallel()
	messages := corpus(t, "refusals.txt")
	require.GreaterOrEqual(t, len(messages["stop"])+len(messages["hold"]), 200)
	for _, m := range messages["stop"] {
		if r := (intent.Lexicon{}).ReadRefusal(m); r != intent.RefusalStop {
			t.Errorf("%q is %q, no stop", m, r)
		}
	}
	for _, m := range messages["hold"] {
		if (intent.Lexicon{}).ReadRefusal(m) == intent.RefusalNone {
			t.Errorf("%q is no refusal", m)
		}
	}
}

// The matrix of refusals: each opener, each word, each reason and each way to write them, in each language.
func TestMatrixOfRefusals(t *testing.T) {
	t.Parallel()
	all, stopped := 0, 0
	for _, line := range corpus(t, "matrix.txt")[""] {
		language, rest, _ := strings.Cut(line, ": ")
		parts := strings.Split(rest, " / ")
		require.Len(t, parts, 3, language)
		split := func(i int) []string { return strings.Split(parts[i], " | ") }
		for _, opener := range append(split(0), "") {
			for _, word := range split(1) {
				for _, reason := range append(split(2), "") {
					for _, m := range written(opener, word, reason, language) {
						all++
						switch (intent.Lexicon{}).ReadRefusal(m) {
						case intent.RefusalNone:
							t.Errorf("%s: %q is no refusal", language, m)
						case intent.RefusalStop:
							stopped++
						}
					}
				}
			}
		}
	}
	t.Logf("%d of %d messages stop, the others hold", stopped, all)
	require.Greater(t, all, 2000)
	require.Greater(t, stopped*10, all*9)
}

// written returns the ways to write an opener, a word that stops, and a reason.
func written(opener, word, reason, language string) (ways []string) {
	comma, dot, space := ", ", ". ", " "
	if language == "japanese" || language == "chinese" {
		comma, dot, space = "、", "。", ""
	}
	start := opener + space
	if opener == "" {
		start = ""
	}
	if reason == "" {
		return []string{start + word, start + word + "!", strings.ToUpper(start + word)}
	}
	ways = []string{
		start + word + comma + reason, start + word + dot + reason + dot, start + word + "!\n" + reason,
		start + word + " - " + reason,
	}
	if opener != "" {
		ways = append(ways, opener+comma+word+comma+reason)
	}
	return ways
}
