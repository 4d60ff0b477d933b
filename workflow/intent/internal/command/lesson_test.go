package command_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/command"
)

func TestReadLesson(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]command.Lesson{
		"remember for this repository: tests need  FOO=1":       {Text: "tests need FOO=1"},
		"Please remember for the repo that `make gen` is first": {Text: "`make gen` is first"},
		"note for this project: a\nb":                           {Text: "a b"},
		"forget lesson 3":                                       {Number: 3},
		"please drop lesson #12, please.":                       {Number: 12},
		"correct lesson 3: make test":                           {Number: 3, Text: "make test"},
		"what did you learn here?":                              {List: true},
		"Lessons":                                               {List: true},
		"show me the lessons, please":                           {List: true},
	} {
		got, ok := command.ReadLesson(text)
		require.True(t, ok, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{
		"", "remember the tax rates", "remember that the tax changed in March", "> forget lesson 3",
		"<@U2> forget lesson 3", "forget lesson", "forget lesson 0", "forget it",
		"forget lesson 99999999999", "correct lesson 3:", "what did you learn about the refund?",
		"they learn lessons here", "remember for this repository:", "don't forget lesson 3 of the course",
	} {
		_, ok := command.ReadLesson(text)
		require.False(t, ok, text)
	}
}
