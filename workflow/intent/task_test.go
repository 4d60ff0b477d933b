package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTaskNamed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		number int
		words  string
	}{
		"task 2: keep the name":            {2, "keep the name"},
		"For task #12, use the other form": {12, "use the other form"},
		"Task 3 - no map":                  {3, "no map"},
		"task 2":                           {0, "task 2"},
		"task 0: x":                        {0, "task 0: x"},
		"the task 2: x":                    {0, "the task 2: x"},
		"task 2 is wrong":                  {0, "task 2 is wrong"},
		"keep the name":                    {0, "keep the name"},
	} {
		number, words := TaskNamed(text)
		require.Equal(t, want.number, number, text)
		require.Equal(t, want.words, words, text)
	}
}
