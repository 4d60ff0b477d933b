package kills

import (
	"os"
	"slices"
	"testing"
)

// every is set if the tests play all points, guards and stops, and not a sample. BOBBIN_CHAOS sets it,
// too.
var every = os.Getenv("BOBBIN_EVERY") != "" || os.Getenv("BOBBIN_CHAOS") != ""

// inSample skips a test that make test leaves out: one that plays none of the names. Each takes up to a
// minute of processor time.
func inSample(t *testing.T, name string, sample ...string) {
	t.Helper()
	if !every && !slices.Contains(sample, name) {
		t.Skipf("make test plays %q; set BOBBIN_EVERY to play this one, too", sample)
	}
}
