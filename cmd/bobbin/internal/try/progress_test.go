package try

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build"
)

// TestALongStepSaysHowFarItIs has a step whose run is watched after a while, and one that ends at once.
func TestALongStepSaysHowFarItIs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		p := &progress{out: &out}
		// The sleeps are in the time of synctest, which passes at once.
		p.step("look at the files")()
		done := p.step("run the tests: go test ./...")
		time.Sleep(20 * time.Second)
		more, end := p.watch(build.Progress{Run: "tests on main", Tests: 3})
		time.Sleep(15 * time.Second)
		more(build.Progress{Run: "tests on main", Tests: 1204, Of: 4151})
		time.Sleep(15 * time.Second)
		end()
		time.Sleep(15 * time.Second)
		done()
		require.Equal(t, `bobbin: run the tests: go test ./...
bobbin: run the tests: go test ./... (16s so far)
bobbin: run the tests: go test ./... (31s, 3 tests so far)
bobbin: run the tests: go test ./... (46s, 1,204 of about 4,151 tests)
bobbin: run the tests: go test ./... (1m1s so far)
`, out.String())
	})
}
