package tool

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/remote"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/workflow/model"
)

func TestHistory(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"a.txt": "one\ntwo\n", "b.txt": "b\n"})
	all := b.ok(t, "history", nil)
	require.Regexp(t,
		`^[0-9a-f]{12} 2026-01-02T12:00Z Ada: add the rest\n`+
			`[0-9a-f]{12} 2026-01-01T12:00Z Ada: begin the shop\n$`, all)
	require.Regexp(t, `^[0-9a-f]{12} 2026-01-01T12:00Z Ada: begin the shop\n$`,
		b.ok(t, "history", args{"path": "a.txt"}))
	require.Regexp(t, `^a.txt:2 was last changed by\n[0-9a-f]{12} 2026-01-01T12:00Z Ada: begin the shop\n$`,
		b.ok(t, "history", args{"path": "a.txt", "line": 2}))
	one := b.ok(t, "history", args{"commit": b.Workspace.Base()})
	require.Contains(t, one, "Ada: add the rest\n\nWith a body.\n")
	require.Contains(t, one, "\n+b\n")
	require.Equal(t, one, b.ok(t, "history", args{"commit": all[:12]}), "as it was shown")
}

func TestHistoryWrongCalls(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"a.txt": "one\n"})
	require.Contains(t, b.refused(t, "history", args{"line": 3}), "Which file")
	require.Contains(t, b.refused(t, "history", args{"path": "../x"}), "outside")
	b.refused(t, "history", args{"path": "a.txt", "line": 99})
	b.refused(t, "history", args{"path": "none.txt", "line": 1})
	b.refused(t, "history", args{"commit": "0123456789"})
	b.refused(t, "history", args{"commit": "--output=/tmp/x"})
	b.Mirror = nil
	require.Contains(t, b.refused(t, "history", nil), "no history")
}

// A span of time is one instant to another, whoever names it: the two commits are of noon UTC on the 1st and
// on the 2nd. What was there when it begins is shown, too. A time without a zone is refused with how to write
// it.
func TestHistoryOfASpanOfTime(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"a.txt": "one\n", "b.txt": "b\n"})
	const first, second = "begin the shop", "add the rest"
	for _, c := range []struct{ since, until, want, before string }{
		{"2026-01-02 12:59 Europe/Berlin", "", second, first},
		{"2026-01-02 13:00 Europe/Berlin", "", second, first},
		{"2026-01-02 13:01 Europe/Berlin", "", "since 2026-01-02T12:01Z", second},
		{"2026-01-02 04:00 America/Los_Angeles", "", second, first},
		{"2026-01-02 20:59:30 Asia/Tokyo", "", second, first},
		{"2026-01-02T14:00:00+02:00", "", second, first},
		{"2026-01-02T12:00Z", "2026-01-03 UTC", second, first},
		{"2026-01-02T12:00Z..2026-01-03 UTC", "", second, first},
		{"2026-01-01 20:00 Asia/Tokyo", "2026-01-01 13:30 Europe/Berlin", first, ""},
		{"", "2026-01-01 23:59 UTC", first, ""},
		{
			"2026-01-02 00:00 UTC", "2026-01-02 11:00 UTC",
			"No commit since 2026-01-02T00:00Z until 2026-01-02T11:00Z.", first,
		},
		{"2026-01-02 12:00", "", "no time with a zone", ""},
		{"yesterday 8am", "", "no time with a zone", ""},
		{"yesterday", "", "no time with a zone", ""},
		{"2026-01-02 12:00 Local", "", "no time with a zone", ""},
		{"2026-01-02 12:00 ../../etc/passwd", "", "no time with a zone", ""},
		{"2026-01-02 12:00 UTC", "8am Europe/Berlin", "until is no time with a zone", ""},
	} {
		r := b.call(t, "history", args{"since": c.since, "until": c.until})
		require.Equal(t, strings.Contains(c.want, "no time"), r.Wrong, r.Text)
		said, before, _ := strings.Cut(r.Text, "the one before: ")
		require.Contains(t, said, c.want, c)
		require.LessOrEqual(t, strings.Count(said, "\n"), 1, r.Text)
		if c.before == "" {
			require.Empty(t, before, r.Text)
			continue
		}
		require.Regexp(t, `^[0-9a-f]{12} 2026-01-0\dT12:00Z Ada: `+c.before+`\n$`, before)
	}
	require.Regexp(t, `^No commit has touched a.txt since 2026-01-02T00:00Z\.\n`+
		`the one before: [0-9a-f]{12} 2026-01-01T12:00Z Ada: begin the shop\n$`,
		b.ok(t, "history", args{"path": "a.txt", "since": "2026-01-02 00:00 UTC"}))
	require.NotContains(t, b.ok(t, "history", args{"path": "b.txt", "since": "2026-01-02 00:00 UTC"}),
		"before", "the file was not there")
}

// mergedEnv returns an Env on a repository with a merged pull request 7, a squashed one 12, and an open
// branch. The commits are of consecutive days: root, side, 12, the merge of side, and open.
func mergedEnv(t testing.TB) (b *Env, hash map[string]string) {
	t.Helper()
	dir, commits := repotest.NewOrigin(t, repotest.Files{"a.txt": "1\n"})
	hash = map[string]string{"root": commits[0]}
	r, err := gogit.PlainOpen(dir)
	require.NoError(t, err)
	tree, err := r.CommitObject(plumbing.NewHash(commits[0]))
	require.NoError(t, err)
	add := func(name, message string, day int, parents ...string) {
		c := &object.Commit{
			Author:    object.Signature{Name: "Ada", When: tree.Author.When.AddDate(0, 0, day)},
			Committer: object.Signature{Name: "Ada", When: tree.Committer.When.AddDate(0, 0, day)},
			Message:   message,
			TreeHash:  tree.TreeHash,
		}
		for _, p := range parents {
			c.ParentHashes = append(c.ParentHashes, plumbing.NewHash(hash[p]))
		}
		o := r.Storer.NewEncodedObject()
		require.NoError(t, c.Encode(o))
		h, err := r.Storer.SetEncodedObject(o)
		require.NoError(t, err)
		hash[name] = h.String()
	}
	add("side", "round down", 1, "root")
	add("twelve", "spell the totals (#12)", 2, "root")
	add("merge", "Merge pull request #7 from ada/side", 3, "twelve", "side")
	add("open", "not merged (#13)", 4, "merge")
	for name, at := range map[string]string{
		"refs/heads/main": "merge", "refs/heads/open": "open", "refs/tags/v1": "twelve",
	} {
		require.NoError(t, r.Storer.SetReference(plumbing.NewHashReference(
			plumbing.ReferenceName(name), plumbing.NewHash(hash[at]))))
	}
	mirror, err := repotest.OpenMirrors(t).Open(t.Context(), remote.Remote{Name: "shop", URL: dir})
	require.NoError(t, err)
	w, err := mirror.Workspace(t.Context(), filepath.Join(t.TempDir(), "session"), hash["merge"])
	require.NoError(t, err)
	t.Cleanup(func() { _ = w.Close() })
	return &Env{
		Workspace: w, Mirror: mirror, OutputDir: t.TempDir(), Page: "https://git.example/acme/shop",
	}, hash
}

// A commit is named as people and models name it. What cannot be found in the mirror is refused in one line
// that says what to pass instead.
func TestHistoryOfNamedCommits(t *testing.T) {
	t.Parallel()
	b, hash := mergedEnv(t)
	const page = "https://git.example/acme/shop"
	for name, want := range map[string]string{
		"HEAD": "merge", "HEAD^": "twelve", "HEAD^2": "side", "main~2": "root", "open~": "merge",
		"v1":  "twelve",
		"#12": "twelve", "shop#12": "twelve", "acme/shop#7": "merge", "!7": "merge",
		hash["side"][:9] + "^0":        "side",
		"<" + page + "/pull/12/files>": "twelve", page + "/-/merge_requests/7": "merge",
		page + "/commit/" + hash["side"]: "side", page + "/pull/7/commits/" + hash["side"][:8]: "side",
		page + "/tree/open": "open", page + "/releases/tag/v1": "twelve",
		"https://fork.example/ada/shop/commit/" + hash["side"]: "side",
	} {
		require.True(t, strings.HasPrefix(b.ok(t, "history", args{"commit": name}), hash[want][:12]), name)
	}
	for name, want := range map[string]string{
		"#13":                                   "No commit here names the pull request 13",
		"#412":                                  "pass the hash of a commit, a branch, a tag, or a..b.",
		"bank#12":                               "is of another repository",
		page + "/issues/12":                     "pass the hash of a commit",
		"https://git.example/acme/bank/pull/7":  "pass the hash of a commit",
		"https://evil.example/acme/shop/pull/7": "pass the hash of a commit",
		page + "/commit/0123456789":             "no branch, tag or commit",
		"HEAD~99":                               "does not go back to HEAD~99.",
		"HEAD^3":                                "does not go back",
		"gone~1":                                "no branch, tag or commit",
	} {
		r := b.refused(t, "history", args{"commit": name})
		require.Contains(t, r, want, name)
		require.NotContains(t, r, "\n", name)
	}
	b.Page = ""
	require.Contains(t, b.refused(t, "history", args{"commit": page + "/pull/7"}), "pass the hash")
	require.Contains(t, b.ok(t, "history", args{"commit": "#7"}), "Merge pull request #7")
}

// The pull request of which the base is the branch is shown as what it brings, not as one of its commits.
func TestHistoryOfThePullRequestItself(t *testing.T) {
	t.Parallel()
	b, hash := mergedEnv(t)
	const page = "https://git.example/acme/shop"
	require.Contains(t, b.refused(t, "history", args{"commit": "#99"}), "No commit here names", "control")
	b.Pull = Pull{Number: 99, Into: "v1"}
	for _, name := range []string{"#99", "shop#99", page + "/pull/99/files", "!99"} {
		text := b.ok(t, "history", args{"commit": name})
		require.Contains(t, text, "#99 brings these commits to v1, since "+hash["twelve"][:12], name)
		require.Contains(t, text, hash["side"][:12])
		require.Contains(t, text, "It changes no file.", name)
	}
	require.Contains(t, b.ok(t, "history", args{"commit": "#99", "path": "none.txt"}), "was not changed")
	require.Contains(t, b.ok(t, "history", args{"commit": "#12"}), hash["twelve"][:12], "another is as ever")
	b.Pull.Into = "gone"
	require.Contains(t, b.refused(t, "history", args{"commit": "#99"}), "gone")
}

// A range has the commits of its second end that its first does not have, as git log a..b.
func TestHistoryOfARange(t *testing.T) {
	t.Parallel()
	b, hash := mergedEnv(t)
	const page = "https://git.example/acme/shop"
	for _, c := range []struct {
		in   args
		want []string
	}{
		{args{"since": "v1..main"}, []string{"merge", "side", "before:twelve"}},
		{args{"commit": "v1...main"}, []string{"merge", "side", "before:twelve"}},
		{args{"since": page + "/compare/v1...open"}, []string{"open", "merge", "side", "before:twelve"}},
		{args{"since": "v1"}, []string{"merge", "side", "before:twelve"}},
		{args{"since": "#12", "until": "open"}, []string{"open", "merge", "side", "before:twelve"}},
		{args{"since": "..open"}, []string{"open", "before:merge"}},
		{args{"since": "v1.."}, []string{"merge", "side", "before:twelve"}},
		{args{"until": "v1"}, []string{"twelve", "root"}},
		{args{"since": "main..v1"}, []string{"before:merge"}},
		{args{"since": "v1..main", "path": "a.txt"}, []string{"before:root"}},
	} {
		var got []string
		for line := range strings.Lines(b.ok(t, "history", c.in)) {
			before := ""
			if rest, ok := strings.CutPrefix(line, "left out, with all before it: "); ok {
				line = rest
				before = "before:"
			}
			for name, h := range hash {
				if strings.HasPrefix(line, h[:12]) {
					got = append(got, before+name)
				}
			}
		}
		require.Equal(t, c.want, got, c.in)
	}
	require.Contains(t, b.refused(t, "history", args{"since": "a..b", "until": "main"}), "leave until out")
	require.Contains(t, b.refused(t, "history", args{"since": "v1..gone"}), "no branch, tag or commit")
	require.Contains(t, b.ok(t, "history", args{"since": "main..v1"}),
		"No commit since "+hash["merge"][:12]+" until “v1”.")
}

// FuzzRevision checks that whatever names a commit leads to one that the mirror has, or to one line that says
// why it does not.
func FuzzRevision(f *testing.F) {
	for _, seed := range []string{
		"HEAD^2~1", "main~3^^", "#12", "acme/shop!7", "v1..main", "v1...", "a\nb~9999", "`v1`", "^",
		"https://git.example/acme/shop/pull/7", "<https://git.example/acme/shop/compare/v1...open>",
		"https://%zz", "2026-01-02 8am",
	} {
		f.Add(seed)
	}
	b, _ := mergedEnv(f)
	cr := commitReader{b.Mirror, b.Workspace, b.Page, b.Pull}
	f.Fuzz(func(t *testing.T, name string) {
		from, to, _ := cr.splitRange(name)
		for _, name := range []string{name, from, to} {
			hash, err := cr.resolve(t.Context(), name)
			var wrong model.Mistake
			switch {
			case err == nil:
				require.True(t, b.Mirror.Commits().Has(hash), "%q", name)
			case errors.As(err, &wrong):
				require.NotContains(t, string(wrong), "\n", "%q", name)
			default:
				t.Fatalf("%q: %v", name, err)
			}
		}
	})
}
