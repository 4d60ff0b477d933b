package phrases_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/phrases"
)

var (
	refusing  = []phrases.Meaning{phrases.Stop, phrases.Wait, phrases.Hold, phrases.No}
	agreeing  = []phrases.Meaning{phrases.Approve, phrases.GoOn, phrases.Yes}
	languages = []string{
		"chinese", "dutch", "english", "french", "german", "italian", "japanese", "korean", "polish",
		"portuguese", "spanish",
	}
)

func TestEachLanguageHasItsWords(t *testing.T) {
	t.Parallel()
	var names []string
	for _, list := range phrases.BuiltIn() {
		names = append(names, list.Name)
		for _, meaning := range append(slices.Concat(refusing, agreeing), phrases.Please, phrases.Opener,
			phrases.Pointer, phrases.Tail, phrases.Reason, phrases.Instead, phrases.Ask) {
			require.NotEmpty(t, list.All(meaning), "%s: %s", list.Name, meaning)
		}
	}
	require.Equal(t, languages, names)
}

func TestNoPhraseContradictsAnother(t *testing.T) {
	t.Parallel()
	for _, list := range phrases.BuiltIn() {
		require.Empty(t, phrases.Contradictions(list), list.Name)
		for _, meaning := range phrases.Meanings {
			for _, phrase := range list.All(meaning) {
				require.Equal(t, strings.ToLower(phrase), phrase, list.Name)
			}
		}
	}
	twice := phrases.NewList("x")
	twice.Add(phrases.Hold, "déjà")
	twice.Add(phrases.Yes, "déjà")
	require.NotEmpty(t, phrases.Contradictions(twice))
}

// What approves is never a word that people also say for other reasons.
func TestApprovalsAreClear(t *testing.T) {
	t.Parallel()
	for _, list := range phrases.BuiltIn() {
		joined := slices.Contains([]string{"chinese", "japanese", "korean"}, list.Name)
		for _, phrase := range list.All(phrases.Approve) {
			n := utf8.RuneCountInString(phrase)
			require.True(t, n >= 4 || joined && n >= 2, "%s: %q is too short", list.Name, phrase)
			require.NotContains(t, phrase, "...", "an approval has no gap")
		}
	}
}

func TestEachRefusalIsFound(t *testing.T) {
	t.Parallel()
	set := phrases.NewSet(phrases.BuiltIn())
	for _, list := range phrases.BuiltIn() {
		for rank, meaning := range refusing {
			for _, phrase := range list.All(meaning) {
				found := set.Find(strings.ReplaceAll(phrase, "...", " x ")).Meaning
				require.Contains(t, refusing[:rank+1], found, "%s: %q", list.Name, phrase)
			}
		}
	}
}

// Of a line with many alternatives, every 97th phrase is tried.
func TestEachPhraseIsFoundByItsBeginning(t *testing.T) {
	t.Parallel()
	set := phrases.NewSet(phrases.BuiltIn())
	for _, list := range phrases.BuiltIn() {
		for _, meaning := range phrases.Meanings {
			all := list.All(meaning)
			step := 1
			if len(all) > 5000 {
				step = 97
			}
			for n := 0; n < len(all); n += step {
				require.True(t, set.IsWhole(all[n], meaning), "%s: %s: %q", list.Name, meaning, all[n])
			}
		}
	}
}

func TestAlternatives(t *testing.T) {
	t.Parallel()
	list := phrases.NewList("x")
	list.Add(phrases.Wait, "(stop|halt) (the |)(push|merge)(| now)")
	require.Equal(t, []string{
		"stop the push", "stop the push now", "stop the merge", "stop the merge now",
		"stop push", "stop push now", "stop merge", "stop merge now",
		"halt the push", "halt the push now", "halt the merge", "halt the merge now",
		"halt push", "halt push now", "halt merge", "halt merge now",
	}, list.All(phrases.Wait))
	set := phrases.NewSet([]phrases.List{list})
	for clause, said := range map[string]bool{
		"halt merge now":   true,
		"stop the push":    true,
		"stop the now":     false,
		"halt":             false,
		"the push":         false,
		"stop (the |)push": false,
	} {
		require.Equal(t, said, set.Matches(clause, phrases.Wait), clause)
	}
}

func TestAWholeClauseIsAPhrase(t *testing.T) {
	t.Parallel()
	set := phrases.NewSet(phrases.BuiltIn())
	for clause, want := range map[string]bool{
		"Looks good to me":      true,
		"thanks for the report": true,
		"i really like the fix": true,
		"C'est bien":            true,
		"不错":                    true,
		"looks good but":        false,
		"the fix":               false,
		"thanks for the":        false,
		"not good":              false,
	} {
		require.Equal(t, want, set.Is(clause, phrases.Praise), clause)
	}
	require.True(t, set.Is("oh so sorry guys", phrases.Apology))
	require.False(t, set.Is("sorry it fails", phrases.Apology))
}

func TestBadFilesAreRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"stop":               `x:1: "stop" stands before the first section`,
		"# x\n[halt]\nstop":  "x:2: there is no section [halt]",
		"[stop]\nstop\n[no ": "x:3: there is no section [no",
	} {
		_, err := phrases.Parse("x", text)
		require.EqualError(t, err, want)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	set := phrases.NewSet(phrases.BuiltIn())
	for clause, want := range map[string]phrases.Match{
		"stop":                      {Meaning: phrases.Stop},
		"please stop it right now":  {Meaning: phrases.Stop},
		"stop thats the wrong file": {Meaning: phrases.Stop, Reason: "thats the wrong file"},
		"stop the timer":            {},
		"stopwatch":                 {},
		"arrête":                    {Meaning: phrases.Stop},
		"ARRETEZ SVP":               {Meaning: phrases.Stop},
		"waaait":                    {Meaning: phrases.Wait},
		"don't push it":             {Meaning: phrases.Wait},
		"don't stop":                {},
		"die Doku nicht fixen":      {Meaning: phrases.Wait, Partial: true},
		"you're in the wrong file":  {Meaning: phrases.Hold},
		"it shows the wrong file":   {},
		"no":                        {Meaning: phrases.No},
		"no errors":                 {},
		"その修正を止めてください":              {Meaning: phrases.Stop, Partial: true},
		"停止按钮没有反应":                  {},
		"停改错文件了":                    {Meaning: phrases.Stop, Reason: "改错文件了"},
	} {
		require.Equal(t, want, set.Find(clause), clause)
	}
}
