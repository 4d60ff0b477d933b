package intent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
)

func TestReadPush(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"push it", "Push it.", "PUSH IT!", "yes, push it", "yes push it", "please push it", "push it, please",
		": push it", "push it!!",
	} {
		require.Equal(t, []bool{true, false}, readPush(text), text)
	}
	for _, text := range []string{
		"push it unproven", "Push it unproven.", "yes, push it unproven", "please push it unproven",
	} {
		require.Equal(t, []bool{true, true}, readPush(text), text)
	}
	for _, text := range []string{
		"push it unproven?", "don't push it unproven", "> push it unproven", "unproven", "push unproven",
		"is it unproven", "", "push", "push it?", "don't push it", "push it later",
		"push it when CI is green", "> push it", "`push it`", "```\npush it\n```",
		"push it\nbut not go.sum", "she said push it", "рush it", "push\u200b it", "<@U1> push it",
		"push it <!channel>", "fix it", "\"push it\"",
	} {
		require.Equal(t, []bool{false, false}, readPush(text), text)
	}
}

func TestAPushMayNameWhatIsRight(t *testing.T) {
	t.Parallel()
	for text, value := range map[string]string{
		"push it, 899 is right":                     "899",
		"Push it, 899 is right.":                    "899",
		"yes, push it, the 899 is correct":          "899",
		"push it: `899` is fine":                    "899",
		"push it, it is right":                      "",
		"push it, both are right":                   "",
		"please push it, removing TestCoupon is ok": "removing testcoupon",
	} {
		require.Equal(t, []bool{true, false}, readPush(text), text)
		require.Equal(t, value, intent.PushedValue(text), text)
	}
	for _, text := range []string{
		"push it, 899 is not right", "push it if 899 is right", "push it, I don't think 899 is right",
		"push it, 899 is right?", "899 is right", "don't push it, 900 is right", "> push it, 899 is right",
		"push it, 899 is right but leave the rest", "push it when 899 is right", "push it, nothing is right",
		"push it, not sure 899 is right", "<@U1> push it, 899 is right",
	} {
		require.Equal(t, []bool{false, false}, readPush(text), text)
	}
}

func TestPushesAllTheSame(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"push all the same", "Push it all the same.", "push it anyway", "yes, push it anyway",
		"please push all the same",
	} {
		require.True(t, intent.PushesAllTheSame(text), text)
		require.Equal(t, []bool{true, false}, readPush(text), text)
	}
	for _, text := range []string{
		"push it", "yes", "all the same", "don't push it anyway", "push it anyway?", "> push it anyway",
		"push it anyway, but not go.sum", "<@U1> push it anyway",
	} {
		require.False(t, intent.PushesAllTheSame(text), text)
	}
}

func TestProvesByCI(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"prove it by CI", "Prove it by CI.", "prove it with CI", "let CI prove it", "have CI check it",
		"use CI", "Use the CI!", "yes, prove it by CI", "ok, use CI", "please prove it by CI",
		"push it and prove it by CI",
		"prove this in ci, please", "test it on CI",
	} {
		require.True(t, intent.ProvesByCI(text), text)
		require.Equal(t, []bool{true, false}, readPush(text), text)
	}
	for _, text := range []string{
		"prove it", "CI", "is CI green", "use CI?", "prove it by CI?", "don't prove it by CI",
		"do not use CI",
		"prove it by CI tomorrow", "prove it by CI when main is green", "> prove it by CI", "`use CI`",
		"<@U1> use CI", "use CI instead of this", "she said use CI", "could CI prove it", "push it unproven",
		"prove it by CI, but not the docs", "let CI prove it first", "use\u200b CI", "\"use CI\"",
		"push it when CI is green",
	} {
		require.False(t, intent.ProvesByCI(text), text)
	}
}

func readPush(text string) []bool {
	allows, unproven := intent.ReadPush(text)
	return []bool{allows, unproven}
}

func TestHowAPushIsWorded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]workflow.DisclosureChoice{
		"push it so":                            workflow.DisclosureShown,
		"Yes, push it so please.":               workflow.DisclosureShown,
		"push it as shown":                      workflow.DisclosureShown,
		"push it without the thread's words":    workflow.DisclosureNeutral,
		"Push without the thread’s words":       workflow.DisclosureNeutral,
		"push it without names":                 workflow.DisclosureNeutral,
		"push it neutrally":                     workflow.DisclosureNeutral,
		"push it":                               workflow.DisclosureOpen,
		"push it so that ann sees it":           workflow.DisclosureOpen,
		"don't push it so":                      workflow.DisclosureOpen,
		"push it without the test":              workflow.DisclosureOpen,
		"> push it so":                          workflow.DisclosureOpen,
		"<@U2> push it so":                      workflow.DisclosureOpen,
		"push it without the words of the test": workflow.DisclosureOpen,
	} {
		require.Equal(t, want, intent.Lexicon{}.Read(text).Discloses, text)
	}
}
