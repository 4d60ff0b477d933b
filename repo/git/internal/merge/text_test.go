package merge

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
		ours := remotetest.ScribbleLines(rnd, base, "ours", 4)
		theirs := remotetest.ScribbleLines(rnd, base, "theirs", 4)
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

// Where lines repeat, several places are right for an edit, and git takes the last one. Functions that end
// alike are added, removed and changed on both sides.
func TestMergeTextOfRepeatedLinesIsWhatGitMerges(t *testing.T) {
	t.Parallel()
	remotetest.NeedGit(t)
	rnd := rand.New(rand.NewPCG(5, 6))
	function := func(name, does string) []string {
		return []string{"func " + name + "() {\n", "\t" + does + "\n", "}\n", "\n"}
	}
	change := func(base []string, who string) string {
		out := slices.Clone(base)
		for n := range 1 + rnd.IntN(2) {
			at := 4 * rnd.IntN(len(out)/4)
			switch rnd.IntN(3) {
			case 0:
				out = slices.Insert(out, at, function(who, fmt.Sprint("do ", who, n))...)
			case 1:
				out = slices.Delete(out, at, at+4)
			default:
				out[at+1] = who + "\n"
			}
		}
		return strings.Join(out, "")
	}
	for range 300 {
		var base []string
		for i := range 3 + rnd.IntN(4) {
			base = append(base, function(fmt.Sprint(i), fmt.Sprint("do ", i))...)
		}
		text := strings.Join(base, "")
		ours := change(base, "a")
		theirs := change(base, "b")
		merged, found := Texts([]byte(text), []byte(ours), []byte(theirs))
		want, clean := gitMergeFile(t, text, ours, theirs)
		require.Equal(t, clean, len(found) == 0, "base %s\nours %s\ntheirs %s", text, ours, theirs)
		if clean {
			require.Equal(t, want, string(merged))
		}
	}
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
		a := remotetest.ScribbleLines(rnd, base, "a", 6)
		b := remotetest.ScribbleLines(rnd, base, "b", 6)
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
