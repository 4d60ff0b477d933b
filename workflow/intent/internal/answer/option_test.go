package answer_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/answer"
)

// The options of the questions below.
var (
	rounding = []string{"Round down", "Round up, always", "Keep `fractions`"}
	people   = []string{"The owner", "The owner and support", "Everybody"}
	times    = []string{"1 day", "2 days", "3 weeks", "5 weeks"}
	counts   = []string{"3", "5", "10"}
	langs    = []string{"C", "C++", "C#", "Default"}
	two      = []string{"Yes", "No"}
)

func TestOptionNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text    string
		options []string
		want    int
	}{
		{"1", rounding, 0},
		{" 2 ", rounding, 1},
		{"2.", rounding, 1},
		{"2)", rounding, 1},
		{"#3", rounding, 2},
		{"b", rounding, 1},
		{"(c)", rounding, 2},
		{"B) please", rounding, 1},
		{"option a", rounding, 0},
		{"2 please", rounding, 1},
		{"2 👍", rounding, 1},
		{"2, thanks!", rounding, 1},
		{"option 2", rounding, 1},
		{"Option 2!", rounding, 1},
		{"number 3", rounding, 2},
		{"the second", rounding, 1},
		{"The second one, please.", rounding, 1},
		{"second option", rounding, 1},
		{"2nd", rounding, 1},
		{"the last one", rounding, 2},
		{"let's go with option 3", rounding, 2},
		{"I’d take the first", rounding, 0},
		{"ok, 2", rounding, 1},
		{"round down", rounding, 0},
		{"ROUND DOWN!", rounding, 0},
		{"please round down", rounding, 0},
		{"“Round up always”", rounding, 1},
		{"keep fractions", rounding, 2},
		{"keep", rounding, 2},
		{"round u", rounding, 1},
		{"I prefer round down", rounding, 0},
		{"the owner", people, 0},
		{"the owner and", people, 1},
		{"everybody 🎉", people, 2},
		{"1", times, 0},
		{"3", times, 2},
		{"5 weeks", times, 3},
		{"option 3", times, 2},
		{"3", counts, 0},
		{"10", counts, 2},
		{"the third", counts, 2},
		{"c", langs, 0},
		{"c++", langs, 1},
		{"C#", langs, 2},
		{"default", langs, 3},
		{"the former", two, 0},
		{"the latter", two, 1},
		{"no", two, 1},
		{"yes please", two, 0},
		{"recommended", rounding, -1},
		{"the recommended one", rounding, -1},
		{"your pick", rounding, -1},
		{"Your pick.", rounding, -1},
		{"as you recommend", rounding, -1},
		{"take the default please", rounding, -1},
		{"go with your recommendation", rounding, -1},
		{"whatever you think is best", rounding, -1},
		{"you decide", rounding, -1},
		{"up to you 🙂", nil, -1},
	} {
		got, ok := answer.OptionNamed(c.text, c.options)
		require.True(t, ok, "%q of %q", c.text, c.options)
		require.Equal(t, c.want, got, "%q of %q", c.text, c.options)
	}
}

func TestNoOptionIsNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text    string
		options []string
	}{
		{"", rounding},
		{"!", rounding},
		{"round", rounding},      // two options begin with it
		{"ke", rounding},         // too short
		{"d", rounding},          // no such place
		{"option d", rounding},   //
		{"0", rounding},          // no such place
		{"4", rounding},          //
		{"the fourth", rounding}, //
		{"99999999999999999999", rounding},
		{"the former", rounding}, // only for two options
		{"5", times},             // "5 weeks" is not the fifth
		{"2", counts[:1]},
		{"5", []string{"1 day", "2 days", "5 days", "7 days", "9 days"}}, // the third, or the fifth?
		{"2, but only for members", rounding},
		{"1 and 2", rounding},
		{"not 2", rounding},
		{"not the second", rounding},
		{"2?", rounding},
		{"round down?", rounding},
		{"round down to five cents", rounding},
		{"don't keep fractions", rounding},
		{"neither", rounding},
		{"why not both?", rounding},
		{"> 2", rounding},
		{"<@U2> 2", rounding},
		{"your pick is odd", rounding},
		{"what do you recommend?", rounding},
		{"1", nil},
		{"keep fractions" + strings.Repeat("!", 600), rounding},
	} {
		got, ok := answer.OptionNamed(c.text, c.options)
		require.False(t, ok, "%q of %q", c.text, c.options)
		require.Zero(t, got)
	}
}
