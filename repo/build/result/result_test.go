package result

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/project"
)

func TestResultInOneLine(t *testing.T) {
	t.Parallel()
	p := project.Project{Kind: "go", Build: "go build ./...", Test: "go test -json ./..."}
	tests := []Test{{Name: "TestA", Status: Failed}, {Name: "TestB", Status: Passed}}
	for want, r := range map[string]Result{
		"go test ./...: 1 passed, 1 failed (TestA), build clean": {
			Project:  p,
			BuildRan: true,
			BuildOK:  true,
			TestsRan: true,
			Counted:  true,
			Counts:   Counts{Passed: 1, Failed: 1},
			Tests:    tests,
			ExitCode: 1,
		},
		"go test ./...: no tests, build fails (go build ./...)": {
			Project: p, BuildRan: true, TestsRan: true, TestsOK: true, Counted: true,
		},
		"go test ./...: exit code 2 (the tests could not be counted)": {
			Project: p, TestsRan: true, ExitCode: 2,
		},
		"go test ./...: 2 passed, ran too long: more than 3 minutes (while TestC ran), " +
			"`checks: {minutes: 6}` of the repository in bobbin.yaml allows more": {
			Project:    p,
			TestsRan:   true,
			Counted:    true,
			Counts:     Counts{Passed: 2},
			Stopped:    "time",
			Limits:     Limits{Time: 3 * time.Minute},
			Unfinished: []string{"TestC"},
		},
		"build fails (go build ./...), tests not run, wrote more than 4 GB to the disk, " +
			"`checks: {disk: 8 GB}` of the repository in bobbin.yaml allows more": {
			Project: p, BuildRan: true, Stopped: "disk", Limits: Limits{Disk: 4 << 30},
		},
		"nothing to run: no build or test command is known": {},
	} {
		require.Equal(t, want, r.String())
	}
}

func TestWhatFailedBeforeStandsApart(t *testing.T) {
	t.Parallel()
	base := Result{Tests: []Test{
		{Name: "TestOld", Group: "p", Status: Failed},
		{Name: "TestFine", Group: "p", Status: Passed},
	}}
	now := Result{Tests: []Test{
		{Name: "TestOld", Group: "p", Status: Failed},
		{Name: "TestFine", Group: "p", Status: Failed},
		{Name: "TestOld", Group: "q", Status: Failed},
	}}
	fresh, already := now.FailingSince(base)
	require.Equal(t, now.Tests[1:], fresh)
	require.Equal(t, now.Tests[:1], already)
}

func TestWhatACompilerSaysTwiceIsToldOnce(t *testing.T) {
	t.Parallel()
	build := "# shop/money\nmoney.go:3:1: syntax error\n"
	require.True(t,
		IsRepeatOf([]string{build}, "# shop/money [shop/money.test]\nmoney.go:3:1: syntax error\n"))
	require.False(t, IsRepeatOf([]string{build}, "# shop/cart\ncart.go:9:2: undefined: x\n"))
	require.False(t, IsRepeatOf([]string{build}, ""), "nothing was told of it")
}

func TestLongTextKeepsBothEnds(t *testing.T) {
	t.Parallel()
	long := "first" + strings.Repeat("x", 10_000) + "last"
	cut := KeepEnds(long, 100)
	require.True(t, strings.HasPrefix(cut, "first") && strings.HasSuffix(cut, "last"), cut)
	require.Contains(t, cut, "10 KB left out")
	require.Equal(t, "short", KeepEnds("short", 100))
	require.Equal(t, "red\ntext", StripTerminal("\x1b[31mred\x1b[0m\r\ntext"))
}

// TestATestThatBreaksDoesNotHideBehindOneOfItsName has three tests of one name, of which one fails on the
// base.
func TestATestThatBreaksDoesNotHideBehindOneOfItsName(t *testing.T) {
	t.Parallel()
	run := func(statuses ...Status) (r Result) {
		r.TestsRan = true
		r.Counted = true
		r.ExitCode = 1
		for _, s := range statuses {
			r.Tests = append(r.Tests, Test{Name: "total", Group: "p", Status: s, Output: string(s)})
			r.Count(s)
		}
		return r
	}
	base := run(Passed, Passed, Failed)
	for want, now := range map[int]Result{
		0: run(Failed, Passed, Passed),
		1: run(Passed, Failed, Failed),
		2: run(Failed, Failed, Failed),
	} {
		fresh, already := now.FailingSince(base)
		require.Len(t, fresh, want)
		require.Len(t, already, 1)
		_, only := now.FailsOnlyAs(base)
		require.Equal(t, want == 0, only)
		require.Equal(t, want > 0, now.RedSince(base))
	}
}

func TestCountsFarFromTheRunnersOwnAreSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		counted, stated, cases int
		wrong                  bool
	}{
		{1, 4151, 0, true},
		{4151, 4151, 0, false},
		{4150, 4151, 0, false},
		{8, 7, 0, false},
		{40, 12, 0, true},
		{40, 12, 28, false},
		{3, 0, 0, false}, // the runner states nothing
	} {
		r := Result{TestsRan: true, Counted: true, Counts: Counts{Passed: c.counted}, Stated: c.stated}
		for range c.cases {
			r.Tests = append(r.Tests, Test{Of: "TestSplit", Status: Passed})
		}
		_, _, wrong := r.Miscounted()
		require.Equal(t, c.wrong, wrong, c)
		require.Equal(t, c.wrong, strings.Contains(r.String(), "the runner itself says"), r.String())
	}
}

// Order says what ran first where the suite is long enough for that to matter.
func TestOrderInWords(t *testing.T) {
	t.Parallel()
	r := Result{Counts: Counts{Passed: 2151}, First: 214, Reach: true}
	require.Equal(t, "214 tests that the change can reach ran first, then the other 1937.", r.Order())
	r.Stopped = StoppedNear
	r.Reach = false
	require.Equal(t, "214 tests near the change ran first, and the others not at all.", r.Order())
	require.Empty(t, Result{Counts: Counts{Passed: 7}, First: 3}.Order())
	require.Empty(t, Result{Counts: Counts{Passed: 700}}.Order())
}

// NotReached compares by names, of which several tests may share one.
func TestWhatWasNotReached(t *testing.T) {
	t.Parallel()
	base := Result{Tests: []Test{
		{Group: "a", Name: "twice", Status: Passed},
		{Group: "a", Name: "twice", Status: Passed},
		{Group: "b", Name: "once", Status: Failed},
	}}
	tests, groups := Result{Tests: base.Tests[:1]}.NotReached(base)
	require.Equal(t, 2, tests)
	require.Equal(t, []string{"b"}, groups)
	tests, groups = base.NotReached(base)
	require.Zero(t, tests)
	require.Empty(t, groups)
}
