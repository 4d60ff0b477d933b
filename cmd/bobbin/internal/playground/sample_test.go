package playground

import (
	"hash/crc32"
	"os"
	"slices"
	"testing"
)

// every is set if the tests play all ways through the story and check each page in every look, and not a
// sample.
var every = os.Getenv("BOBBIN_EVERY") != ""

// inSample skips a test that make test leaves out: one that plays none of the names.
func inSample(t *testing.T, name string, sample ...string) {
	t.Helper()
	if !every && !slices.Contains(sample, name) {
		t.Skipf("make test plays %q; set BOBBIN_EVERY to play this one, too", sample)
	}
}

// isChecked reports whether axe checks a page in the n-th look. make test has each page checked in one of
// them, which depends on the page's name, since every check takes more than a second of processor time.
func isChecked(page string, n int) bool {
	return every || os.Getenv("BOBBIN_PICTURES") != "" ||
		int(crc32.ChecksumIEEE([]byte(page))%uint32(len(looks))) == n
}
