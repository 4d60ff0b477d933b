package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// agentRooms lists the folders of the packages, with all below them, that handle files which agents and
// untrusted commands can write. They must open such files below an os.Root or an opened folder, because a
// path may lead elsewhere by the time it is used.
var agentRooms = []string{
	"workflow/tool", "workflow/turn", "workflow/skill", "repo/git", "repo/disk", "repo/proof", "repo/build",
	"repo/design",
}

// ourOwn lists the files of those packages that use paths nevertheless, with the reason why only this
// program can have written there.
var ourOwn = map[string]string{
	"repo/git/internal/bare/bare.go": "mirrors",
	"repo/git/clean.go":              "mirrors",
	"repo/git/files.go":              "mirrors, and remotes that the operator has named",
	"repo/git/mirror.go":             "mirrors",
	"repo/disk/filelock.go":          "lock files, beside what they protect",
	"repo/disk/disk.go": "how much of the disk folders take, " +
		"and their names",
	"repo/disk/remove.go":                       "what is to be removed, without following links",
	"repo/git/internal/dial/dial.go":            "the operator's keys",
	"repo/git/internal/dial/local.go":           "remotes that the operator has named",
	"repo/git/internal/dial/server.go":          "remotes that the operator has named",
	"repo/git/internal/objects/pack.go":         "packs of mirrors",
	"repo/git/internal/objects/packs.go":        "packs of mirrors",
	"repo/git/internal/objects/packs_join.go":   "packs of mirrors",
	"repo/git/internal/objects/store.go":        "objects",
	"repo/git/internal/spare/spare.go":          "spares in mirrors, which nobody has worked in",
	"repo/git/internal/transfer/fetch.go":       "what an interrupted fetch left in a mirror",
	"repo/git/internal/transfer/look.go":        "remotes that the operator has named",
	"repo/git/internal/transfer/refs.go":        "references of mirrors",
	"repo/git/internal/worktree/fork.go":        "a worktree's own records, beside its files",
	"repo/git/internal/worktree/index/index.go": "a worktree's own records, beside its files",
	"repo/git/internal/worktree/worktree.go": "the folders above a worktree's files, " +
		"and their removal",
	"repo/build/baseline.go": "what is remembered of the base, " +
		"never shown to a command",
	"repo/build/cache.go": "caches: their folders, " +
		"and the locks beside them",
	"repo/build/journal.go":  "results of this program, never shown to a command, and the program itself",
	"repo/build/ccache.go":   "a cache: its folder, not what is in it",
	"repo/build/prepared.go": "a folder that is made here",
	"repo/build/clean.go": "caches, of which only sizes and ages are " +
		"asked for",
	"repo/build/lacking.go":     "folders of reports, which are made here, not what is in them",
	"repo/build/environment.go": "a folder that is made here",
	"repo/build/environment/tools.go": "what version managers have installed on this machine, " +
		"and a folder of links that is made here",
	"repo/build/environment/start.go": "folders that are made here, " +
		"and filled by installed programs alone",
	"repo/build/scratch.go": "a new cache, which no command has seen yet",
	"repo/build/goentry.go": "a new cache, which no command has seen yet",
	"repo/build/caches.go":  "what this machine has fetched",
	"repo/build/packages/login.go": "certificates of this machine, " +
		"and a folder that commands cannot write",
	"repo/build/packages/extra.go": "the log of a command, beside the packages, " +
		"which commands do not see",
	"repo/build/packages/submodules.go": "folders that are made here, which commands see read-only",
	"repo/build/packages/lfs.go":        "the folder of objects, which this program alone writes",
	"repo/build/packages/lfsmounts.go":  "the folder of objects, which this program alone writes",
	"repo/build/packages/build.go": "a folder that is made here, " +
		"before the first command runs, and this machine's cache",
	"repo/build/packages/bump.go": "a folder that is made here, before the first command runs",
	"repo/build/packages/clean.go": "fetched packages, " +
		"of which only sizes and ages are asked for",
	"repo/build/packages/fetch.go": "folders that are made here, and their names",
	"repo/build/packages/packages.go": "fetched packages, " +
		"when their commands have ended: links are asked for, and the note is ours",
	"repo/build/packages/pins.go": "a folder that is made here, " +
		"and the names of others",
	"repo/build/proxy/proxy.go": "a folder of a socket, " +
		"which only this user may enter",
	"workflow/tool/internal/output/output.go": "outputs that were kept, " +
		"outside of every sandbox",
	"workflow/tool/scratch.go": "the scratch folder itself, which commands cannot replace, " +
		"and its removal",
	"workflow/turn/internal/agents/runtime/env.go": "the folder of outputs that were kept",
	"workflow/turn/internal/workspace/attachment/longtext.go": "long texts that people attached, " +
		"in a session's own folder, outside of every sandbox",
	"workflow/turn/internal/workspace/folder/folders.go": "the folders of sessions themselves, " +
		"and marks beside them",
	"workflow/turn/internal/workspace/worktree/files.go": "the names of a session's own folders",
	"workflow/turn/internal/workspace/worktree/snapshot.go": "marks in a session's own folder, " +
		"outside of every sandbox",
}

// byPath lists the functions that open or change a file by its path.
var byPath = map[string][]string{
	"os": {
		"Open", "OpenFile", "Create", "ReadFile", "WriteFile", "ReadDir", "Stat", "Lstat", "Readlink",
		"Mkdir", "MkdirAll", "Remove", "RemoveAll", "Rename", "Chmod", "Chown", "Lchown", "Truncate",
		"Link", "Symlink", "Chtimes", "DirFS", "CopyFS",
	},
	"filepath": {"Walk", "WalkDir", "Glob", "EvalSymlinks"},
}

func TestFilesOfAgentsAreOpenedBelowARoot(t *testing.T) {
	t.Parallel()
	found := pathUsers(t, os.DirFS("../.."))
	for _, file := range found {
		assert.NotEmpty(t, ourOwn[file.name], "%s: go through an os.Root or a Workspace's FS; "+
			"if nobody but this program writes there, say so in ourOwn", file)
	}
	for name := range ourOwn {
		require.FileExists(t, "../../"+name)
		used := slices.ContainsFunc(found, func(u pathUse) bool { return u.name == name })
		require.True(t, used, "%s uses no path any more: take it out of ourOwn", name)
	}
	controls := fstest.MapFS{
		"repo/git/new.go": {
			Data: []byte("package repo\nimport \"os\"\nfunc read(p string) { _, _ = os.ReadFile(p) }\n"),
		},
		"repo/proof/walk.go": {Data: []byte("package proof\nimport fp \"path/filepath\"\n" +
			"func walk(p string) { _ = fp.WalkDir(p, nil) }\n")},
		"repo/build/packages/new.go": {
			Data: []byte("package packages\nimport \"os\"\nfunc read(p string) { _, _ = os.ReadFile(p) }\n"),
		},
		"workflow/turn/internal/agents/new/new.go": {
			Data: []byte("package new\nimport \"os\"\nfunc read(p string) { _, _ = os.ReadFile(p) }\n"),
		},
		"repo/git/repotest/new.go": {
			Data: []byte("package repotest\nimport \"os\"\nfunc read(p string) { _, _ = os.ReadFile(p) }\n"),
		},
		"repo/git/root.go": {Data: []byte("package repo\nimport \"os\"\nfunc read(r *os.Root) { _, " +
			"_ = r.ReadFile(\"x\"); _, _ = os.OpenRoot(\"x\") }\n")},
		"bot/other.go": {
			Data: []byte("package bot\nimport \"os\"\nfunc read(p string) { _, _ = os.ReadFile(p) }\n"),
		},
	}
	require.Equal(t,
		[]pathUse{
			{"repo/build/packages/new.go", 3, "os.ReadFile"},
			{"repo/git/new.go", 3, "os.ReadFile"},
			{"repo/proof/walk.go", 3, "filepath.WalkDir"},
			{"workflow/turn/internal/agents/new/new.go", 3, "os.ReadFile"},
		},
		pathUsers(t, controls), "the control")
}

type pathUse struct {
	name string
	line int
	what string
}

func (p pathUse) String() string { return fmt.Sprintf("%s:%d: %s", p.name, p.line, p.what) }

// pathUsers returns the calls of such functions in agentRooms.
func pathUsers(t *testing.T, tree fs.FS) (found []pathUse) {
	t.Helper()
	for _, name := range sources(t, tree) {
		if isForTests(path.Dir(name)) || strings.HasSuffix(name, "_test.go") ||
			!slices.ContainsFunc(agentRooms, isAround(path.Dir(name))) {
			continue
		}
		text, err := fs.ReadFile(tree, name)
		require.NoError(t, err)
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
		require.NoError(t, err)
		names := map[string]string{} // imported package by its name in the file
		for _, i := range file.Imports {
			imported := path.Base(strings.Trim(i.Path.Value, `"`))
			names[imported] = imported
			if i.Name != nil {
				names[i.Name.Name] = imported
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			if x, ok := s.X.(*ast.Ident); ok && slices.Contains(byPath[names[x.Name]], s.Sel.Name) {
				found = append(found,
					pathUse{name, files.Position(n.Pos()).Line, names[x.Name] + "." + s.Sel.Name})
			}
			return true
		})
	}
	return found
}
