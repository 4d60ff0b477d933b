package workflow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		read    func(string) bool
		yes, no []string
	}{
		"wraps up": {
			workflow.WrapsUp,
			[]string{"wrap up", "Wrap it up, please", "that's enough questions", "ok, take the defaults", "use your recommendations", "skip the rest", "no more questions."},
			[]string{"wrap the cart in paper", "is that enough?", "> wrap up", "more questions", "the wrapper is up"},
		},
		"wants more": {
			workflow.WantsMore,
			[]string{"more questions", "keep going", "Ask me more!", "a few more questions please"},
			[]string{"no more questions", "it asks more than it should", "going"},
		},
		"confirms": {
			workflow.Confirms,
			[]string{"yes", "Yes!", "correct", "that's right", "exactly, go ahead", "lgtm", "👍", "yes, that's it", "looks good", "confirmed."},
			[]string{"yes, but only for members", "almost", "yes?", "not right", "> yes", "is that right?", "yes and also the cart", "no"},
		},
		"asks about the diff": {
			workflow.AsksAboutDiff,
			[]string{"why so large?", "Why is the diff so big?", "why did you touch cart.go?", "explain the diff", "please walk me through the change", "why 400 lines?", "hm, why are these changes needed?", "what did you change and why?"},
			[]string{"why does the total differ?", "fix it", "the diff tool is broken", "why is the total so large on receipts with discounts?"},
		},
		"redirects": {
			workflow.Redirects,
			[]string{"wrong, it only happens for carts with two coupons", "no, the other file", "actually it is the refund job", "wait, look at tax first", "don't touch the handler", "forget the coupon, look at tax", "scratch that", "narrower: only members", "not that endpoint, the other", "Stop doing that, it is the cache"},
			[]string{"also check percent coupons", "thanks", "fyi the customer is angry", "what are you doing?", "good find", "nothing else", "now it works for me"},
		},
		"vague": {
			workflow.Vague,
			[]string{"add dark mode", "export to csv please"},
			[]string{"add `dark mode` to the cart", "orders must be exported every night", "add a column last_seen to sessions and show it on the admin page", "add 2 columns"},
		},
	} {
		for _, s := range c.yes {
			require.True(t, c.read(s), "%s: %q", name, s)
		}
		for _, s := range c.no {
			require.False(t, c.read(s), "%s: %q", name, s)
		}
	}
}

func TestOptionNamed(t *testing.T) {
	t.Parallel()
	options := []string{"Round down", "Round up", "Keep fractions"}
	for text, want := range map[string]int{
		"1": 0, "option 2": 1, "the third one": 2, "Round up.": 1, "keep": 2, "as you recommend": -1, "2)": 1, "please round down": 0,
	} {
		got, ok := workflow.OptionNamed(text, options)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "round", "7", "neither", "why not both?"} {
		_, ok := workflow.OptionNamed(text, options)
		require.False(t, ok, text)
	}
}

func FuzzWords(f *testing.F) {
	for _, s := range []string{"wrap up", "yes", "why so large?", "ask the oracle whether", "1", "👍"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, read := range []func(string) bool{workflow.WrapsUp, workflow.WantsMore, workflow.Confirms, workflow.Redirects, workflow.AsksAboutDiff} {
			if len([]rune(text)) > 600 {
				require.False(t, read(text))
			}
		}
		workflow.Vague(text)
		workflow.ReadCommandFor(text, "oracle")
		n, ok := workflow.OptionNamed(text, []string{"a", "b"})
		require.True(t, !ok || n >= -1 && n < 2)
	})
}
