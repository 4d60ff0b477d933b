package merge

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remotetest"
)

// FuzzMergeText checks that the result is the change of one side if only that side, or both equally,
// changed the text.
func FuzzMergeText(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nB\nc\n", "a\nb\nC\n")
	f.Add("", "x", "y\r\n")
	f.Add("a\n", "", "a\nb")
	f.Fuzz(func(t *testing.T, base, ours, theirs string) {
		if len(base)+len(ours)+len(theirs) > 4000 {
			return
		}
		for _, c := range []struct{ base, ours, theirs, want string }{
			{base, base, theirs, theirs}, {base, ours, base, ours}, {base, ours, ours, ours},
		} {
			got, conflicts := Texts([]byte(c.base), []byte(c.ours), []byte(c.theirs))
			require.Empty(t, conflicts)
			require.Equal(t, c.want, string(got))
		}
		Texts([]byte(base), []byte(ours), []byte(theirs))
	})
}

// git's own merge gives the expected results: for lines that are all different, only one result is
// right.
func TestMergeTextIsWhatGitMerges(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	rnd := rand.New(rand.NewPCG(1, 2))
	conflicts := 0
	for i := range 40 {
		base := make([]string, rnd.IntN(30))
		for j := range base {
			base[j] = fmt.Sprintf("line %d\n", j)
		}
		if i%3 == 0 && len(base) > 0 {
			base[len(base)-1] = "the end"
		}
		text := strings.Join(base, "")
		ours, theirs := remotetest.ScribbleLines(rnd, base, "ours", 4), remotetest.ScribbleLines(rnd, base, "theirs", 4)
		merged, found := Texts([]byte(text), []byte(ours), []byte(theirs))
		want, clean := gitMergeFile(t, text, ours, theirs)
		require.Equal(t, clean, len(found) == 0, "base %q\nours %q\ntheirs %q", text, ours, theirs)
		if clean {
			require.Equal(t, want, string(merged))
		} else {
			conflicts++
		}
	}
	require.Greater(t, conflicts, 4)
	require.Less(t, conflicts, 36)
}

func gitMergeFile(t testing.TB, base, ours, theirs string) (merged string, clean bool) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"base": base, "ours": ours, "theirs": theirs} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	cmd := exec.Command("git", "merge-file", "-p", "-q", "ours", "base", "theirs")
	cmd.Dir = dir
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		require.Less(t, exit.ExitCode(), 128)
		return "", false
	}
	require.NoError(t, err)
	return string(out), true
}

// A side without changes leaves the other one as it is, whichever side it is, and swapping the sides
// makes no difference.
func TestMergeTextLaws(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		base := make([]string, rnd.IntN(40))
		for j := range base {
			base[j] = fmt.Sprintf("line %d\n", rnd.IntN(8)) // many alike
		}
		text := strings.Join(base, "")
		a, b := remotetest.ScribbleLines(rnd, base, "a", 6), remotetest.ScribbleLines(rnd, base, "b", 6)
		for _, c := range [][3]string{{text, a, a}, {a, text, a}, {a, a, a}} {
			merged, conflicts := Texts([]byte(text), []byte(c[0]), []byte(c[1]))
			require.Empty(t, conflicts)
			require.Equal(t, c[2], string(merged))
		}
		x, clashX := Texts([]byte(text), []byte(a), []byte(b))
		y, clashY := Texts([]byte(text), []byte(b), []byte(a))
		require.Len(t, clashY, len(clashX))
		if len(clashX) == 0 {
			require.Equal(t, string(x), string(y))
		}
	}
}
