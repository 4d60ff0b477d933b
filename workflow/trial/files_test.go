package trial

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

func TestVersionsThatFilesWant(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ want, file, text string }{
		{"go >=1.24.3", "go.mod", "module x\n\ngo 1.22\n\ntoolchain go1.24.3\n"},
		{"node 22", ".nvmrc", "lts/jod\n"},
		{"", ".nvmrc", "lts/*\n"},
		{"node 20.1", ".node-version", "v20.1\n"},
		{"node 22.1.0, python 3.12.1", ".tool-versions", "# a\nnodejs 22.1.0\npython 3.12.1 3.11\nfoo 1\n"},
		{
			"node 22, python 3.12", "mise.toml",
			"[env]\nnode = \"1\"\n[tools]\nnode = \"22\"\npython = [\"3.12\"]\n[x]\ngo = \"1\"\n",
		},
		{
			"node >= 20, pnpm 9.1.0", "package.json",
			`{"engines": {"node": ">= 20"}, "packageManager": "pnpm@9.1.0+sha"}`,
		},
		{"", "package.json", `{"engines": []}`},
		{"python >=3.9", "pyproject.toml", "[project]\nrequires-python = '>=3.9'\n"},
		{"", "rust-toolchain.toml", "[toolchain]\nchannel = \"stable\"\n"},
		{"rust >=1.70", "Cargo.toml", "rust-version = \"1.70\"\n"},
		{"ruby 3.2.1", ".ruby-version", "ruby-3.2.1\n"},
		{"", ".python-version", "system\n"},
	} {
		files := fstest.MapFS{c.file: {Data: []byte(c.text)}}
		var got []string
		for _, v := range versionsOf(t.Context(), files, "", nil) {
			require.Equal(t, c.file, v.From)
			got = append(got, v.Tool+" "+v.Wants)
		}
		require.Equal(t, c.want, strings.Join(got, ", "))
	}
	both := fstest.MapFS{
		".nvmrc":         {Data: []byte("18")},
		".tool-versions": {Data: []byte("nodejs 22")},
		"web/.nvmrc":     {Data: []byte("16")},
	}
	require.Equal(t, "22", versionsOf(t.Context(), both, "", nil)[0].Wants, "the first file counts")
	require.Equal(t, "16", versionsOf(t.Context(), both, "web", nil)[0].Wants, "the folder comes first")
}

func TestVersionsThatDiffer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		tool, has, wants string
		same             bool
	}{
		{"node", "20.20.2", "20", true},
		{"node", "20.20.2", "20.1.0", true},
		{"node", "20.20.2", "22", false},
		{"node", "20.20.2", ">=18", true},
		{"node", "20.20.2", ">= 22.12.0", false},
		{"node", "20.20.2", "^18 || ^20", true},
		{"node", "20.20.2", "18.x || >=22", false},
		{"node", "20.20.2", "18 - 22", true},
		{"node", "20.20.2", "16 - 18", false},
		{"node", "20.20.2", ">=18 <20", false},
		{"python", "3.11.2", "3.12", false},
		{"python", "3.11.2", "3.11.9", true},
		{"python", "3.11.2", ">=3.9,<4", true},
		{"python", "3.11.2", ">=3.9,!=3.11", false},
		{"python", "3.11.2", "~=3.9", true},
		{"go", "1.26.8", ">=1.24.3", true},
		{"go", "1.22.1", ">=1.24", false},
		{"rust", "1.75.0", ">=1.80", false},
		{"ruby", "3.1.2", "3.2.1", false},
		{"node", "20.20.2", "latest", true},
	} {
		require.Equal(t, c.same, satisfies(c.has, c.wants, c.tool), "%+v", c)
	}
}

func TestFilesOfLFS(t *testing.T) {
	t.Parallel()
	pointer := pointerText + "v1\noid sha256:0\nsize 12\n"
	files := fstest.MapFS{
		".gitattributes":      {Data: []byte("*.psd filter=lfs diff=lfs\n# *.png filter=lfs\n*.go text\n")},
		"data/.gitattributes": {Data: []byte("big/*.bin filter=lfs\n")},
		"a.psd":               {Data: []byte(pointer)},
		"docs/b.psd":          {Data: []byte("a picture")},
		"data/big/c.bin":      {Data: []byte(pointer)},
		"big/d.bin":           {Data: []byte(pointer)},
		"e.png":               {Data: []byte(pointer)},
	}
	var paths []string
	for name := range files {
		paths = append(paths, name)
	}
	found := lfsOf(files, paths)
	require.Equal(t, 2, found.Files)
	require.Len(t, found.Patterns, 2)
	require.Nil(t, lfsOf(fstest.MapFS{}, nil))
}

func TestSubmodulesByPath(t *testing.T) {
	t.Parallel()
	require.Equal(t, map[string]string{"deps/a": "https://git.example.com/a", "b": "../b"}, submoduleURLs(
		"[submodule \"a\"]\n\tpath = deps/a\n\turl = https://git.example.com/a\n"+
			"[submodule \"b\"]\n\turl = ../b\n\tpath = b\n[submodule \"c\"]\n\tpath = c\n"))
}

// FuzzFilesOfVersions checks that whatever files say of versions, of submodules and of LFS is read without a
// panic, and compared.
func FuzzFilesOfVersions(f *testing.F) {
	for _, seed := range []string{
		"nodejs 22.1.0\npython 3.12\n", "[tools]\nnode = \"22\"\n", "module x\n\ngo 1.26.1\n",
		`{"engines":{"node":">=18 <23"},"packageManager":"pnpm@9.1.0"}`, "v22", "lts/*",
		"[submodule \"a\"]\n\tpath = a\n\turl = ../a.git\n", "*.psd filter=lfs diff=lfs\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, read := range []func(string) []Version{
			toolVersions, miseVersions, goVersions, manifestVersions, oneVersion("node"),
		} {
			for _, v := range read(text) {
				satisfies("20.1.0", v.Wants, v.Tool)
			}
		}
		submoduleURLs(text)
		for _, p := range lfsPatterns(text) {
			globOf("a", p)
		}
	})
}
