package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/stretchr/testify/require"
)

// hostileTrees have names and links that lead out. The tests of package repo check that twenty such names are
// refused, in every place and kind.
func hostileTrees() []hostile {
	return []hostile{
		{
			line: "R7",
			name: "links to everywhere",
			tree: func(l *lab) files {
				return files{
					"abs.txt": "->" + filepath.Join(l.outside, "secret.txt"),
					"absdir":  "->" + l.outside,
					"up.txt":  "->../../../../../../../../etc/passwd",
					"rel.txt": "->../../outside/secret.txt",
					"git":     "->.git/config",
					"loop":    "->loop",
					"a":       "->b",
					"b":       "->a",
					"proc":    "->/proc/self/environ",
					"deep/" + strings.Repeat("d/", 40) + "up": "->" + strings.Repeat("../", 60) +
						"proc/self/environ",
				}
			},
			arrive: func(l *lab, dir string) {
				put(l.t, dir, ".git/config", secret)
				// New links, as a command may make them.
				require.NoError(l.t,
					os.Symlink(filepath.Join(l.outside, "secret.txt"), filepath.Join(dir, "later.txt")))
				require.NoError(l.t, os.Symlink(l.outside, filepath.Join(dir, "later")))
			},
			play: func(t testing.TB, l *lab) {
				for p, says := range map[string]string{
					"abs.txt":           "leads outside",
					"absdir/secret.txt": "leads outside",
					"up.txt":            "leads outside",
					"rel.txt":           "leads outside",
					"git":               ".git",
					"loop":              "leads to itself",
					"a":                 "leads to itself",
					"proc":              "leads outside",
					"later.txt":         "leads outside",
					"later/secret.txt":  "leads outside",
				} {
					for name, in := range map[string]args{
						"read_file":  {"path": p},
						"search":     {"pattern": ".", "path": p},
						"outline":    {"path": p},
						"edit_file":  {"path": p, "old": "c", "new": "d"},
						"write_file": {"path": p, "content": "x"},
						"apply_patch": {"patch": "*** Begin Patch\n*** Update File: " +
							p + "\n-" + secret + "\n+x\n*** End Patch"},
					} {
						text := l.env.refused(t, name, in)
						require.NotContains(t, text, secret)
						if name == "read_file" {
							require.Contains(t, text, says)
						}
					}
				}
			},
			naive: func(l *lab, dir string) {
				_, _ = os.ReadFile(filepath.Join(dir, "absdir", "secret.txt"))
			},
			finds: touched,
		},
		{
			line: "R7",
			name: "a folder that is a link in another commit",
			tree: func(l *lab) files { return files{"web": "->" + l.outside} },
			arrive: func(l *lab, dir string) {
				require.NoError(l.t, os.Remove(filepath.Join(dir, "web")))
				put(l.t, dir, "web/secret.txt", "harmless\n")
			},
			naive: func(l *lab, dir string) {
				// restores the tree of the commit, and writes into it
				require.NoError(l.t, os.RemoveAll(filepath.Join(dir, "web")))
				l.git(dir, "checkout", "-q", "--", "web")
				put(l.t, dir, "web/secret.txt", "harmless\n")
			},
			finds: touched,
		},
		{
			line:    "R8",
			name:    "a name that steps out",
			refused: `"../outside/planted.txt" has a slash or a zero byte within one name`,
			build:   func(l *lab) { l.rawTree("../outside/planted.txt", "owned\n") },
			naive:   func(l *lab, dir string) { l.unpack(dir) },
			finds:   touched,
		},
		{
			line: "R8", name: "a name that is .git to others", refused: `".GIT" is a spelling of .git`,
			build: func(l *lab) { l.rawTree(".GIT", "owned\n") },
		},
		{
			line: "R8", name: "a folder named .git", refused: `".git" is a spelling of .git`,
			build: func(l *lab) { l.rawTree(".git", "owned\n") },
		},
	}
}

// hostileNames are strange names that are harmless if they are kept as they are.
func hostileNames() []hostile {
	return []hostile{
		{
			line: "R9", name: "names that differ in case alone", tree: func(*lab) files {
				return files{
					"Readme.md": "one\n",
					"README.md": "two\n",
					"src/a.go":  "package src\n",
					"Src/b.go":  "package src\n",
				}
			},
			play: func(t testing.TB, l *lab) {
				require.Contains(t, l.ask("list_files", nil), "[different ones, "+
					"whose names differ in upper and lower case alone: Src and src, README.md and Readme.md]")
				require.Contains(t, l.ask("read_file", args{"path": "Readme.md"}), "1\tone")
				require.Contains(t, l.ask("edit_file", args{"path": "Readme.md", "old": "one", "new": "1"}),
					"1 place changed")
				require.Contains(t, l.ask("read_file", args{"path": "README.md"}), "1\ttwo")
				require.NotContains(t, l.ask("list_files", args{"path": "src"}), "case alone",
					"the control: where there is one of each")
			},
		},
		{
			line: "R10", name: "names and contents that are not UTF-8", tree: func(*lab) files {
				return files{
					"caf\xe9.txt":   "price: 1\n",
					"latin.txt":     "na\xefve\nprice = 1\nfin\xe9\n",
					"new\nline.txt": "x\n",
					`"quoted".txt`:  "x\n",
				}
			},
			play: playBytes,
		},
		{
			line: "R14", name: "a great many files, and deep folders", tree: func(*lab) files {
				many := 300
				if whole {
					many = 100_000
				}
				tree := files{strings.Repeat("d/", 60) + "needle.txt": "needle\n"}
				for i := range many {
					tree[fmt.Sprintf("many/%03d/%d.txt", i/200, i)] = "x\n"
				}
				return tree
			},
			play: func(t testing.TB, l *lab) {
				require.Contains(t, l.ask("search", args{"pattern": "needle"}), "needle.txt:1: needle")
				for _, in := range []args{nil, {"glob": "**/*"}, {"path": "many/000"}} {
					require.Less(t, len(l.ask("list_files", in)), 64<<10)
				}
				require.Less(t, len(l.ask("search", args{"pattern": "x"})), 64<<10)
			},
		},
	}
}

func playBytes(t testing.TB, l *lab) {
	listed := l.ask("list_files", nil)
	require.Contains(t, listed, `"caf\xe9.txt"`)
	require.Contains(t, listed, `"new\nline.txt"`)
	for _, p := range []string{`"caf\xe9.txt"`, `"new\nline.txt"`, "new\nline.txt", `"\"quoted\".txt"`} {
		require.Contains(t, l.env.ok(t, "read_file", args{"path": p}), "lines 1-1",
			"a name can be given back as it was shown")
	}
	require.Contains(t, l.env.refused(t, "read_file", args{"path": `"../x\xe9"`}),
		"outside of the repository", "and is judged as any other")
	require.Contains(t, l.env.refused(t, "read_file", args{"path": `"a\x00b"`}), "NUL")
	require.Contains(t, l.ask("edit_file", args{
		"path": `"caf\xe9.txt"`,
		"old":  "price: 1",
		"new":  "price: 2",
	}), "1 place changed")

	require.Contains(t, l.ask("read_file", args{"path": "latin.txt"}), `1	na\xefve`)
	require.Contains(t, l.ask("edit_file", args{"path": "latin.txt", "old": "price = 1", "new": "price = 2"}),
		"1 place changed")
	require.Equal(t, "na\xefve\nprice = 2\nfin\xe9\n", l.env.get(t, "latin.txt"),
		"the other bytes stay as they are")
	require.Contains(t, l.env.refused(t, "edit_file", args{
		"path": "latin.txt",
		"old":  `fin\xe9`,
		"new":  "end",
	}), "a byte that is not UTF-8, which old cannot name")
	require.Contains(t, l.env.refused(t, "write_file", args{
		"path":    "latin.txt",
		"content": `na\xefve` + "\nprice = 3\n",
	}), "not UTF-8 and would be lost")
	require.NotEqual(t, l.env.get(t, "latin.txt"), strings.ToValidUTF8(l.env.get(t, "latin.txt"), "?"),
		"the control: what JSON would have made of it")
}

// rawTree writes a commit of a tree that git would not write, object by object.
func (l *lab) rawTree(name, content string) {
	l.t.Helper()
	store := filesystem.NewStorage(osfs.New(l.bare), cache.NewObjectLRUDefault())
	keep := func(kind plumbing.ObjectType, content []byte) plumbing.Hash {
		o := &plumbing.MemoryObject{}
		o.SetType(kind)
		_, err := o.Write(content)
		require.NoError(l.t, err)
		h, err := store.SetEncodedObject(o)
		require.NoError(l.t, err)
		return h
	}
	blob := keep(plumbing.BlobObject, []byte(content))
	tree := keep(plumbing.TreeObject, append([]byte("100644 "+name+"\x00"), blob[:]...))
	o := &plumbing.MemoryObject{}
	require.NoError(l.t, (&object.Commit{Message: "trust me\n", TreeHash: tree}).Encode(o))
	h, err := store.SetEncodedObject(o)
	require.NoError(l.t, err)
	require.NoError(l.t,
		store.SetReference(plumbing.NewHashReference(plumbing.NewBranchReferenceName("main"), h)))
}

// unpack writes the tree of main like a program that only joins paths.
func (l *lab) unpack(dir string) {
	l.t.Helper()
	require.NoError(l.t, os.MkdirAll(dir, 0o755))
	for name := range strings.SplitSeq(l.git(l.bare, "ls-tree", "-z", "--name-only", "main"), "\x00") {
		if name != "" {
			_ = os.WriteFile(filepath.Join(dir, name), []byte("owned\n"), 0o644)
		}
	}
}
