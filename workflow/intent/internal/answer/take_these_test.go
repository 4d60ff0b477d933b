package answer

import (
	"testing"

	"github.com/bobbinhq/bobbin/workflow/intent/internal/words"
)

// What was just shown is taken by a whole message that says so, and by no other.
func TestTakesThese(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"take these":                true,
		"yes, take these":           true,
		"ok take them please":       true,
		"take all of them":          true,
		"Go with those.":            true,
		"can you take these?":       true,
		"take the second":           false,
		"take these two files out":  false,
		"do you take these?":        false,
		"take these and add a test": false,
		"yes":                       false,
	} {
		if got := TakesThese(words.Prepare(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
