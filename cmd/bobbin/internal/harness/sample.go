package harness

import (
	"os"
	"slices"
	"testing"
)

// Every reports whether the tests play all cases, and not the sample of make test: with BOBBIN_EVERY, as make
// every sets it, and with BOBBIN_CHAOS.
func Every() bool { return os.Getenv("BOBBIN_EVERY") != "" || os.Getenv("BOBBIN_CHAOS") != "" }

// InSample skips a case that make test leaves out: one that is none of the sample.
func InSample(t *testing.T, name string, sample ...string) {
	t.Helper()
	if !Every() && !slices.Contains(sample, name) {
		t.Skipf("make test plays %q; set BOBBIN_EVERY to play this one, too", sample)
	}
}
