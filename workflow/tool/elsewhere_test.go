package tool

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// TestCodeIsLookedForElsewhere checks that what the base does not have is looked for on the other branches
// that a request may be about, and only there.
func TestCodeIsLookedForElsewhere(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	b := newEnv(t, files{"a.txt": "one\n", "cart/b.txt": "both\n"})
	origin := b.Mirror.Remote().URL
	run := func(args ...string) { remotetest.RunGit(t, origin, args...) }
	run("checkout", "-q", "-b", "release/1.4")
	put(t, origin, "cart/coupon.go", "func Coupon() {}\nfunc coupon_test() {}\n")
	put(t, origin, "id_rsa", "func Coupon\n")
	run("add", "-A")
	run("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "commit", "-qm", "add coupons")
	run("checkout", "-q", "main")
	require.NoError(t, b.Mirror.Fetch(t.Context()))
	require.NotContains(t, b.ok(t, "search", args{"pattern": "func Coupon"}), "release/1.4",
		"control: without other branches nothing is said of them")
	b.Elsewhere = func() []git.ReleaseBranch {
		return b.Mirror.Commits().Releases(func(name string) bool { return name == "release/1.4" })
	}
	const found = "But on release/1.4, which is not the base here:\ncart/coupon.go:1: func Coupon() {}\n"
	require.Contains(t, b.ok(t, "search", args{"pattern": "func Coupon"}), found)
	require.NotContains(t, b.ok(t, "search", args{"pattern": "func Coupon"}), "id_rsa")
	require.Contains(t, b.ok(t, "search",
		args{"pattern": "func Coupon", "path": "cart", "glob": "*.go"}), found)
	for _, other := range []args{{"glob": "*.txt"}, {"path": "cart/b.txt"}} {
		other["pattern"] = "func Coupon"
		require.NotContains(t, b.ok(t, "search", other), "release/1.4")
	}
	require.NotContains(t, b.ok(t, "search", args{"pattern": "both"}), "release/1.4", "it is here")
	require.Contains(t, b.refused(t, "read_file", args{"path": "cart/coupon.go"}),
		"There is no cart/coupon.go. It exists on release/1.4, which is not the base here.")
	require.NotContains(t, b.refused(t, "read_file", args{"path": "cart/none.go"}), "release/1.4")
	require.Contains(t, b.ok(t, "history", args{"commit": "release/1.4"}), "+func Coupon() {}",
		"it can be read there")

	gone := &git.Mirrors{Dir: filepath.Join(t.TempDir(), "mirrors")}
	var err error
	b.Mirror, err = gone.Open(t.Context(), remote.Remote{Name: "shop", URL: origin})
	require.NoError(t, err)
	b.Elsewhere = func() []git.ReleaseBranch {
		return []git.ReleaseBranch{{Name: "release/1.3", Commit: "0"}}
	}
	require.Contains(t, b.ok(t, "search", args{"pattern": "func Coupon"}),
		"[release/1.3 could not be searched]")
}
