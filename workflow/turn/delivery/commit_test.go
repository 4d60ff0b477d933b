package delivery

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSubject(t *testing.T) {
	t.Parallel()
	require.Equal(t, "The total is off", subject("The total\n is off."))
	require.LessOrEqual(t, len([]rune(subject(strings.Repeat("word ", 40)))), 72)
}
