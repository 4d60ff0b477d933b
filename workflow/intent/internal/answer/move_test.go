package answer

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
)

func TestMoves(t *testing.T) {
	t.Parallel()
	type move struct {
		move   Move
		number int
	}
	for text, want := range map[string]move{
		"back":                                {MoveBack, 0},
		"Go back, please.":                    {MoveBack, 0},
		"wait, let's go back":                 {MoveBack, 0},
		"oops, go back one":                   {MoveBack, 0},
		"can we go back?":                     {MoveBack, 0},
		"previous question":                   {MoveBack, 0},
		"back to the previous question":       {MoveBack, 0},
		"go back to question 2":               {MoveBack, 2},
		"back to 1":                           {MoveBack, 1},
		"back to the first question":          {MoveBack, 1},
		"undo that":                           {MoveBack, 0},
		"next":                                {MoveSkip, 0},
		"Next question!":                      {MoveSkip, 0},
		"skip":                                {MoveSkip, 0},
		"skip this one please":                {MoveSkip, 0},
		"let's skip that question":            {MoveSkip, 0},
		"ok, move on":                         {MoveSkip, 0},
		"pass":                                {MoveSkip, 0},
		"leave it open":                       {MoveOpen, 0},
		"skip it, leave it open":              {MoveOpen, 0},
		"let's decide that later":             {MoveOpen, 0},
		"undecided":                           {MoveOpen, 0},
		"the back office":                     {},
		"send it back":                        {},
		"back up the table first":             {},
		"skip the rest":                       {}, // it wraps up
		"skip empty lines":                    {},
		"next week":                           {},
		"pass the id on":                      {},
		"should we skip?":                     {}, // a question back
		"go back to the old rounding":         {},
		"leave it open until the order ships": {},
	} {
		m, number := MoveOf(words.Prepare(text))
		require.Equal(t, want, move{m, number}, text)
	}
}

func TestAnswersThatNameTheirQuestion(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Earlier{
		"1: b":                                  {Number: 1, Text: "b", Place: true},
		"2 -> keep the Order id":                {Number: 2, Text: "keep the Order id"},
		"question 1: b":                         {Number: 1, Text: "b", Place: true},
		"Q2: yes":                               {Number: 2, Text: "yes"},
		"for question 2, yes":                   {Number: 2, Text: "yes"},
		"oh wait, for question 1: b":            {Number: 1, Text: "b", Place: true},
		"for the first question, b":             {Number: 1, Text: "b", Place: true},
		"change question 1 to b":                {Number: 1, Text: "b", Place: true},
		"change my answer to question 1 to b":   {Number: 1, Text: "b", Place: true},
		"question 1 should be b":                {Number: 1, Text: "b", Place: true, OnlyOption: true},
		"question 1 is hard to understand":      {Number: 1, Text: "hard to understand", OnlyOption: true},
		"for question 2, why do you ask?":       {},
		"b":                                     {},
		"2":                                     {},
		"at 10:30 it fails":                     {},
		"it is 2: the second":                   {},
		"3 days":                                {},
		"for orders with two lines, yes":        {},
		"<@U2> 1: b":                            {},
		"the answer is in question 1 of theirs": {},
	} {
		require.Equal(t, want, EarlierIn(text), text)
	}
}

func TestNumbersOfNoOption(t *testing.T) {
	t.Parallel()
	options := []string{"keep the id", "drop it", "ask"}
	numbers := []string{"1 day", "2 days", "3 weeks"}
	for _, c := range []struct {
		text    string
		options []string
		number  int
		outside bool
	}{
		{"7", options, 7, true},
		{"option 4", options, 4, true},
		{"the fifth one", options, 5, true},
		{"0", options, 0, true},
		{"I'd take 4", options, 4, true},
		{"3", options, 0, false},
		{"the last", options, 0, false},
		{"7 of them", options, 0, false},
		{"drop it", options, 0, false},
		{"7", numbers, 0, false}, // an answer of its own
		{"option 7", numbers, 7, true},
		{"7", nil, 0, false},
	} {
		number, outside := OutOfRange(c.text, c.options)
		require.Equal(t, []any{c.number, c.outside}, []any{number, outside}, c.text)
	}
}
