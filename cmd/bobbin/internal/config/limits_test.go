package config

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
)

// read parses the limits in the text of a configuration file.
func readLimits(text string) (l Limits, err error) {
	p := strictyaml.NewProblems("c", nil)
	p.Decode([]byte(text), &l)
	return l, p.Err()
}

func TestWhatMayBeTurnedOff(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"":                  10 * time.Minute,
		"silent_minutes: 0": 0,
		"silent_minutes: 3": 3 * time.Minute,
		"silent_minutes:":   10 * time.Minute,
	} {
		c, err := readLimits(text)
		require.NoError(t, err, text)
		require.Equal(t, want, c.SilentFor(), text)
	}
	for text, want := range map[string]time.Duration{
		"":                2 * time.Minute,
		"hunk_minutes: 0": 0,
		"hunk_minutes: 5": 5 * time.Minute,
	} {
		c, err := readLimits(text)
		require.NoError(t, err, text)
		require.Equal(t, want, c.HunkTime(), text)
	}
	for text, want := range map[string]time.Duration{
		"":                   5 * time.Minute,
		"history_minutes: 0": 0,
		"history_minutes: 9": 9 * time.Minute,
	} {
		c, err := readLimits(text)
		require.NoError(t, err, text)
		require.Equal(t, want, c.HistoryTime(), text)
	}
}
