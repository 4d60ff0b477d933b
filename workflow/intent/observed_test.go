package intent_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/intent"
)

func TestObserved(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"I saw it on staging":                     true,
		"I saw it myself yesterday":               true,
		"yes, I can reproduce this":               true,
		"We've seen the same on customer 12":      true,
		"I reproduced it. Fix it":                 true,
		"confirmed, I checked it on my machine":   true,
		"fix it":                                  false,
		"I can't reproduce it":                    false,
		"I never saw this":                        false,
		"did anybody see it?":                     false,
		"I see":                                   false,
		"I'll check it tomorrow":                  false,
		"I would have seen it":                    false,
		"if I saw it again I would say so":        false,
		"bea saw it on staging":                   false,
		"> I saw it on staging":                   false,
		"I saw the docs":                          false,
		"`I reproduced it`":                       false,
		"I checked it after the release, it's ok": false,
	} {
		require.Equal(t, want, (intent.Lexicon{}).Read(text).Observed, text)
	}
}
