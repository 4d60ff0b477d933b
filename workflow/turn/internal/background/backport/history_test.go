package backport

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
)

// A history writes commits directly as objects, without a work tree.
type history struct {
	t     *testing.T
	store storage.Storer
	made  int
}

func (h *history) put(encode func(plumbing.EncodedObject) error) plumbing.Hash {
	h.t.Helper()
	o := h.store.NewEncodedObject()
	require.NoError(h.t, encode(o))
	hash, err := h.store.SetEncodedObject(o)
	require.NoError(h.t, err)
	return hash
}

// commit writes a commit with these files in its root folder.
func (h *history) commit(files repotest.Files, parents ...plumbing.Hash) plumbing.Hash {
	h.t.Helper()
	var tree object.Tree
	for _, name := range slices.Sorted(maps.Keys(files)) {
		blob := h.put(func(o plumbing.EncodedObject) error {
			o.SetType(plumbing.BlobObject)
			w, err := o.Writer()
			if err != nil {
				return err
			}
			_, err = w.Write([]byte(files[name]))
			return cmp.Or(err, w.Close())
		})
		tree.Entries = append(tree.Entries, object.TreeEntry{Name: name, Mode: filemode.Regular, Hash: blob})
	}
	h.made++
	who := object.Signature{Name: "Ada", Email: "ada@example.com", When: time.Unix(1700000000+int64(h.made), 0)}
	return h.put((&object.Commit{Author: who, Committer: who, Message: fmt.Sprint("Commit ", h.made), TreeHash: h.put(tree.Encode), ParentHashes: parents}).Encode)
}

func (h *history) branch(name string, at plumbing.Hash) {
	h.t.Helper()
	require.NoError(h.t, h.store.SetReference(plumbing.NewHashReference(plumbing.NewBranchReferenceName(name), at)))
}

const (
	splits = "def split(total, n):\n    return [total // n] * n\n"
	rates  = "RATE = 1\n"
	flaky  = "import random\nimport unittest\n\n\nclass Flaky(unittest.TestCase):\n    def test_now_and_then(self):\n        self.assertTrue(random.random() < 0.5)\n"
)

// money returns the text of money.py: split at its beginning if first is set, otherwise at its end, and
// one rate function for each of functions.
func money(first bool, functions int) string {
	var b strings.Builder
	b.WriteString("import rates\n\n\n")
	if first {
		b.WriteString(splits + "\n\n")
	}
	for n := range functions {
		fmt.Fprintf(&b, "def rate_%d():\n    return rates.RATE * %d\n\n\n", n, n)
	}
	if !first {
		b.WriteString(splits)
	}
	return b.String()
}

// longHistory writes a main line of a hundred commits, or more, with merges, with commits that cannot be imported,
// and with code that moves within its file. Releases branch off from it, and each gets 20 commits. It
// returns the base of the fix and the commit with the fix.
func longHistory(h *history, commits int) (base, pushed plumbing.Hash) {
	moved := commits / 5
	at := make([]plumbing.Hash, 0, commits)
	files := func(n int) repotest.Files {
		f := repotest.Files{"money.py": money(n < moved, n*20/commits), "rates.py": rates, "test_money.py": counts, "NEWS": fmt.Sprintln(n)}
		if n%(commits/10) >= commits*9/100 { // the last tenth of each tenth of the commits does not even import
			f["rates.py"] = "RATE = = 1\n"
		}
		return f
	}
	for len(at) < commits {
		n, parents := len(at), []plumbing.Hash{}
		if n > 0 {
			parents = append(parents, at[n-1])
		}
		if n%10 == 9 { // a merge of a branch of three commits
			side := at[n-5]
			for i := range 3 {
				side = h.commit(files(n-5).With(repotest.Files{"side": fmt.Sprintln(n, i)}), side)
			}
			parents = append(parents, side)
		}
		at = append(at, h.commit(files(n), parents...))
	}
	releases := map[string]struct {
		left int
		own  repotest.Files
	}{
		"release/1.1": {left: commits * 30 / 100, own: repotest.Files{"money.py": "# The release's own.\nOLD = True\n\n\ndef old():\n    return 1\n\n\n" + money(false, 6)}},
		"release/1.2": {left: commits * 42 / 100, own: repotest.Files{"cash.py": money(false, 8), "money.py": ""}}, // money.py is renamed
		"release/1.3": {left: commits * 597 / 1000},                                                                // the tree does not import
		"release/1.4": {left: commits * 65 / 100, own: repotest.Files{"test_flaky.py": flaky}},
		"release/1.0": {left: commits * 6 / 100}, // it left the main line before the code moved
	}
	for _, name := range slices.Sorted(maps.Keys(releases)) {
		r, tip := releases[name], at[releases[name].left]
		tree := files(r.left).With(r.own)
		maps.DeleteFunc(tree, func(_, text string) bool { return text == "" })
		for n := range 20 {
			tip = h.commit(tree.With(repotest.Files{"NEWS": fmt.Sprintln("released", n)}), tip)
		}
		h.branch(name, tip)
	}
	tree := files(commits - 1).With(repotest.Files{"rates.py": rates})
	base = h.commit(tree, at[commits-1])
	tree = tree.With(repotest.Files{"money.py": strings.Replace(tree["money.py"], splits, strings.TrimSuffix(mended, "\n\n\n# The end.\n")+"\n", 1), "test_rest.py": rests})
	pushed = h.commit(tree, base)
	h.branch("main", base)
	h.branch("bobbin/x", pushed)
	return base, pushed
}

// A release that left the main line many commits ago gets the change if it applies there and is proven. Otherwise the
// line in the thread names the reason. With BOBBIN_EVERY the main line has 1,000 commits instead of 100.
func TestBackportsOverALongHistory(t *testing.T) {
	t.Parallel()
	s := open(t)
	origin, err := git.PlainOpen(s.origin)
	require.NoError(t, err)
	commits := 100
	if os.Getenv("BOBBIN_EVERY") != "" {
		commits = 1000
	}
	base, pushed := longHistory(&history{t: t, store: origin.Storer}, commits)
	s.base = base.String()
	for n, c := range []struct{ release, want string }{
		{"1.1", "Backport to `release/1.1`, as ann asked: pushed `bobbin/x-backport-1.1`"},
		{"1.2", "No backport to `release/1.2`: the change conflicts with what stands there, in `money.py` (deleted on one side"},
		{"1.3", "No backport to `release/1.3`: the proof does not hold there, so nothing was pushed."},
		{"1.0", "No backport to `release/1.0`: the change conflicts with what stands there, in `money.py` (both changed line"},
		{"1.4", ""},
	} {
		s.branch = "bobbin/x-backport-" + c.release
		s.ask(c.release, pushed.String(), int64(n+1))
		require.NoError(t, s.Run(t.Context(), s.turn.Session().ID))
		said := s.said()
		require.Len(t, said, n+1)
		require.Contains(t, said[n], c.want)
	}
	require.Contains(t, s.said()[0], "1 new test: red before, green now; 1 still pass")
	code := s.git("show", "bobbin/x-backport-1.1:money.py")
	require.Contains(t, code, "# The release's own.\n")
	require.Contains(t, code, "(i < total % n)")
	require.NotContains(t, code, "rate_7", "what the main line has beside it stays there")
	require.Equal(t, s.git("rev-parse", "release/1.1"), s.git("rev-parse", "bobbin/x-backport-1.1^"))
	require.Contains(t, s.said()[2], "test")
	// A flaky test may keep the change from a release. Then the line names that test.
	rows, err := s.Rows.Of(t.Context(), s.turn.Session().ID)
	require.NoError(t, err)
	row := rows[slices.IndexFunc(rows, func(r backports.Row) bool { return r.Wanted == "1.4" })]
	if said := s.said()[4]; row.State == backports.Pushed {
		require.Contains(t, said, "1 new test: red before, green now")
	} else {
		require.Contains(t, said, "No backport to `release/1.4`: the proof does not hold there, so nothing was pushed. ")
		require.Contains(t, said, "test_now_and_then")
	}
	require.Len(t, strings.Fields(s.git("for-each-ref", "--format=%(refname)", "refs/heads/bobbin/x-*")), len(slices.DeleteFunc(rows, func(r backports.Row) bool { return r.State != backports.Pushed })))
}
