package intent

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAsksForReview(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"review it":                       true,
		"Review it, please":               true,
		"please review the change":        true,
		"can you review it again?":        true,
		"have it reviewed":                true,
		"thanks! review the diff":         true,
		"review this":                     true,
		"review it and fix what you find": false,
		"bob will review it":              false,
		"review":                          false,
		"the review page is broken":       false,
		"don't review it":                 false,
		"> review it":                     false,
		"have it":                         false,
		"review the cart":                 false,
		"":                                false,
	} {
		require.Equal(t, want, AsksForReview(text), text)
	}
}
