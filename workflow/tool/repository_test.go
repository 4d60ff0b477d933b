package tool

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// TestPathsOfAnotherRepository checks that the reading tools take api:PATH, that nothing leads out of that
// repository or to its secrets, and that nothing in it is changed.
func TestPathsOfAnotherRepository(t *testing.T) {
	t.Parallel()
	b := newEnv(t, files{"a.go": "package shop\n", "api:odd.txt": "mine\n"})
	api := newEnv(t, files{
		"pkg/a.go": "package pkg\n\nfunc Split() {}\n", ".env": "API_KEY=hidden\n", "id_rsa": "hidden\n",
	}).OfRepository("api")
	read := func(tool, path string) string {
		return b.ok(t, tool, args{"path": path})
	}
	require.Contains(t, b.refused(t, "read_file", args{"path": "api:pkg/a.go"}), "There is no api:pkg/a.go",
		"control: there is no other repository")
	b.Repositories = Repositories{Own: "shop", Open: func(_ context.Context, name string) (*Env, error) {
		if name != "api" {
			return nil, model.Mistakef("There is no repository %s here.", name)
		}
		return api, nil
	}}
	require.Equal(t, "api:pkg/a.go, lines 1-3 of 3\n", read("read_file", "api:pkg/a.go")[:29])
	require.Contains(t, read("read_file", "api:/pkg/a.go"), "func Split")
	require.Contains(t, read("list_files", "api:"), "Of api; a path there begins with api:\npkg/")
	require.Contains(t, read("outline", "api:pkg/a.go"), "func Split()")
	require.Contains(t, read("history", "api:pkg/a.go"), "Of api;")
	require.Contains(t, b.ok(t, "search", args{"path": "api:", "pattern": "Split"}),
		"api:pkg/a.go:3: func Split() {}\n")
	require.Contains(t, b.ok(t, "search_file", args{"path": "api:pkg/a.go", "pattern": "Split"}),
		"api:pkg/a.go, 3 lines")
	require.NotContains(t, b.ok(t, "search", args{"pattern": "Split"}), "func Split", "it is not named")

	require.Contains(t, read("read_file", "shop:a.go"), "a.go, lines 1-1 of 1", "the own name")
	require.Contains(t, read("read_file", "api:odd.txt"), "mine", "a file of the own repository comes first")

	require.Contains(t, b.refused(t, "read_file", args{"path": "api:none.go"}),
		"In api: There is no none.go.")
	require.Contains(t, b.refused(t, "read_file", args{"path": "web:a.go"}),
		"There is no repository web here.")
	for _, path := range []string{
		"api:.env", "api:id_rsa", "api:../a.go", "api:.git/config", "api:pkg/../.env",
	} {
		require.NotContains(t, b.refused(t, "read_file", args{"path": path}), "hidden", path)
	}
	require.NotContains(t, b.ok(t, "search", args{"path": "api:", "pattern": "hidden"}), "API_KEY")

	const readOnly = "api is read here, and not changed: the work is about shop alone."
	require.Contains(t, b.refused(t, "edit_file", args{"path": "api:pkg/a.go", "old": "Split", "new": "x"}),
		readOnly)
	require.Contains(t, b.refused(t, "write_file", args{"path": "api:new.go", "content": "x"}), readOnly)
	require.Contains(t, b.refused(t, "apply_patch", args{"patch": strings.Join([]string{
		"*** Begin Patch", "*** Add File: api:new.go", "+package x", "*** End Patch",
	}, "\n")}), readOnly)
	b.ok(t, "write_file", args{"path": "web:new.txt", "content": "x"}) // no repository: a name with a colon
	require.Equal(t, "package pkg\n\nfunc Split() {}\n", api.get(t, "pkg/a.go"))
}

// FuzzSplitRepository checks that a path is the name and what stands behind it, or has no name.
func FuzzSplitRepository(f *testing.F) {
	for _, path := range []string{"api:pkg/a.go", "api:", "a.go", `C:\a`, "attachment:1", ":a", "a b:c"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		name, rest := SplitRepository(path)
		if name == "" {
			require.Equal(t, path, rest)
			return
		}
		require.Contains(t, []string{name + ":" + rest, name + ":/" + rest}, path)
	})
}
