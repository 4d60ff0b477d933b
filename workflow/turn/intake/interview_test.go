package intake

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestHowLongIsSaidInWords(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{24 * time.Hour: "24 hours", 90 * time.Minute: "90 minutes", time.Minute: "1 minute", 1500 * time.Millisecond: "1.5s"} {
		require.Equal(t, want, formatDuration(d))
	}
}
