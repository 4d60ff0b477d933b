package design

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// trees maps the paths of a tree's files to their content.
type trees map[string]string

// with returns the tree with some files added or replaced.
func (t trees) with(changed trees) trees {
	out := maps.Clone(t)
	maps.Copy(out, changed)
	return out
}

// FS returns the files as a file system.
func (t trees) FS() fs.FS {
	tree := fstest.MapFS{}
	for name, text := range t {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}

// differing returns the paths of branch whose file base does not have, or has with other content.
func differing(base, branch trees) []string {
	var out []string
	for name, text := range branch {
		if before, ok := base[name]; !ok || before != text {
			out = append(out, name)
		}
	}
	return out
}

// story reads the trees base/ and branch/ of a txtar file. A file of base that branch does not mention
// is in both.
func story(t *testing.T, archive *txtar.Archive) (base, branch trees) {
	t.Helper()
	base = trees{}
	branch = trees{}
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "base/"); ok {
			base[name] = string(f.Data)
		} else if name, ok := strings.CutPrefix(f.Name, "branch/"); ok {
			branch[name] = string(f.Data)
		}
	}
	return base, base.with(branch)
}

// Each file of testdata tests one rule. Its part named want holds the expected findings. Files named
// bad must have findings, files named good must not.
func TestDesignRules(t *testing.T) {
	t.Parallel()
	names, err := filepath.Glob("testdata/*.txtar")
	require.NoError(t, err)
	require.Len(t, names, 11, "one for each rule")
	for _, name := range names {
		t.Run(strings.TrimSuffix(path.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(name)
			require.NoError(t, err)
			base, branch := story(t, archive)
			found, err := Check(base.FS(), branch.FS(), differing(base, branch))
			require.NoError(t, err)
			compareWant(t, name, archive, found)
			requireSides(t, strings.TrimSuffix(path.Base(name), ".txtar"), branch, found)
			requireStanding(t, branch)
		})
	}
}

func compareWant(t *testing.T, name string, archive *txtar.Archive, found []Finding) {
	t.Helper()
	var got strings.Builder
	for _, f := range found {
		fmt.Fprintf(&got, "%s\n\t%s\n", f.Rule, f)
	}
	i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "want" })
	if os.Getenv("UPDATE_GOLDEN") == "" {
		require.GreaterOrEqual(t, i, 0)
		require.Equal(t, string(archive.Files[i].Data), got.String())
		return
	}
	if i < 0 {
		archive.Files, i = append(archive.Files, txtar.File{Name: "want"}), len(archive.Files)
	}
	archive.Files[i].Data = []byte(got.String())
	require.NoError(t, os.WriteFile(name, txtar.Format(archive), 0o644))
}

// requireSides requires at least three files that break the rule and three that do not.
func requireSides(t *testing.T, rule string, branch trees, found []Finding) {
	t.Helper()
	good, bad := 0, 0
	for name := range branch {
		breaks := slices.ContainsFunc(found, func(f Finding) bool { return f.Path == name })
		switch stem, _, _ := strings.Cut(path.Base(name), "-"); stem {
		case "good":
			good++
			require.False(t, breaks, "%s", name)
		case "bad":
			bad++
			require.True(t, slices.ContainsFunc(found,
				func(f Finding) bool { return f.Path == name && f.Rule == rule }), "%s", name)
		}
	}
	require.GreaterOrEqual(t, good, 3)
	require.GreaterOrEqual(t, bad, 3)
}

// requireStanding is the control: the same lines are not found if they were there before, also when
// each file gets another line at its beginning.
func requireStanding(t *testing.T, branch trees) {
	t.Helper()
	later := maps.Clone(branch)
	for name, text := range branch {
		later[name] = "\n" + text
	}
	found, err := Check(branch.FS(), later.FS(), slices.Collect(maps.Keys(later)))
	require.NoError(t, err)
	require.Empty(t, found)
	found, err = Check(trees{}.FS(), later.FS(), slices.Collect(maps.Keys(later)))
	require.NoError(t, err)
	require.NotEmpty(t, found, "the guard off: all of it is new")
}
