package lockfile

import (
	"testing"

	"github.com/stretchr/testify/require"
)

var samples = map[string]string{
	"go.mod": "module x\n\ngo 1.24\n\nrequire example.com/a v1.0.0\n\nrequire (\n\texample.com/b v1.2.0\n" +
		"\texample.com/c v0.1.0 // indirect\n)\n\nreplace example.com/b v1.2.0 => ../b\n",
	"package-lock.json": `{"packages": {"": {"dependencies": {"a": "^1"}}, "node_modules/a": {"version": ` +
		`"1.0.0", "dependencies": {"@x/b": "1"}}, "node_modules/@x/b": {"version": "2.0.0"}, ` +
		`"node_modules/a/node_modules/c": {"version": "3.0.0"}, "web": {"devDependencies": {"c": "1"}}}}`,
	"npm-shrinkwrap.json": `{"dependencies": {"a": {"version": "1.0.0", "requires": {"b": "1"}}}}`,
	"yarn.lock": "# yarn lockfile v1\n\n\n\"@x/a@^1.0.0\", \"@x/a@^1.1.0\":\n  version \"1.1.0\"\n" +
		"  dependencies:\n    b \"^2\"\n\nb@^2:\n  version \"2.0.0\"\n",
	"pnpm-lock.yaml": "importers:\n  .:\n    dependencies:\n      a: {specifier: 1, version: 1.0.0}\n" +
		"packages:\n  a@1.0.0: {}\n  '@x/b@2.0.0(a@1.0.0)': {}\n" +
		"snapshots:\n  a@1.0.0:\n    dependencies:\n      '@x/b': 2.0.0\n",
	"poetry.lock": "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n\n[package.dependencies]\n" +
		"b = \">=1\"\n",
	"uv.lock": "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\ndependencies = [{ name = \"b\" }]\n",
	"Cargo.lock": "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\n" +
		"dependencies = [\"b 1.0.0\", \"c\"]\n",
	"Pipfile.lock":     `{"default": {"a": {"version": "==1.0.0"}}}`,
	"requirements.txt": "# x\na[extra]==1.0.0 ; python_version > '3'\n-r other.txt\nb>=2\n",
	"Gemfile.lock": "GEM\n  remote: x\n  specs:\n    a (1.0.0)\n      b (>= 1)\n    b (2.0.0)\n\n" +
		"DEPENDENCIES\n  a!\n",
}

func TestRead(t *testing.T) {
	t.Parallel()
	for file, want := range map[string][]Package{
		"go.mod": {
			{Name: "example.com/a", Version: "v1.0.0", Ecosystem: "Go", Direct: true},
			{Name: "example.com/b", Version: "v1.2.0", Ecosystem: "Go", Direct: true},
			{Name: "example.com/c", Version: "v0.1.0", Ecosystem: "Go"},
		},
		"package-lock.json": {
			{Name: "@x/b", Version: "2.0.0", Ecosystem: "npm"},
			{Name: "a", Version: "1.0.0", Ecosystem: "npm", Needs: []string{"@x/b"}, Direct: true},
			{Name: "c", Version: "3.0.0", Ecosystem: "npm"},
		},
		"npm-shrinkwrap.json": {{Name: "a", Version: "1.0.0", Ecosystem: "npm", Needs: []string{"b"}}},
		"yarn.lock": {
			{Name: "@x/a", Version: "1.1.0", Ecosystem: "npm", Needs: []string{"b"}},
			{Name: "b", Version: "2.0.0", Ecosystem: "npm"},
		},
		"pnpm-lock.yaml": {
			{Name: "@x/b", Version: "2.0.0", Ecosystem: "npm"},
			{Name: "a", Version: "1.0.0", Ecosystem: "npm", Needs: []string{"@x/b"}, Direct: true},
		},
		"poetry.lock": {{Name: "a", Version: "1.0.0", Ecosystem: "PyPI", Needs: []string{"b"}}},
		"uv.lock":     {{Name: "a", Version: "1.0.0", Ecosystem: "PyPI", Needs: []string{"b"}}},
		"Cargo.lock": {
			{Name: "a", Version: "1.0.0", Ecosystem: "crates.io", Needs: []string{"b", "c"}},
		},
		"Pipfile.lock":     {{Name: "a", Version: "1.0.0", Ecosystem: "PyPI"}},
		"requirements.txt": {{Name: "a", Version: "1.0.0", Ecosystem: "PyPI", Direct: true}},
		"Gemfile.lock": {
			{Name: "a", Version: "1.0.0", Ecosystem: "RubyGems", Needs: []string{"b"}, Direct: true},
			{Name: "b", Version: "2.0.0", Ecosystem: "RubyGems"},
		},
	} {
		found, ok := Read("web/"+file, []byte(samples[file]))
		require.True(t, ok, file)
		for i := range found {
			if len(found[i].Needs) == 0 {
				found[i].Needs = nil
			}
		}
		require.Equal(t, want, found, file)
	}
	_, ok := Read("README.md", nil)
	require.False(t, ok)
}

func TestCompare(t *testing.T) {
	t.Parallel()
	require.Equal(t, []Difference{
		{Name: "b", Before: "1", After: "2", Direct: true},
		{Name: "a", Before: "1", After: "1, 2"},
		{Name: "c", After: "1"},
		{Name: "d", Before: "1"},
	}, Compare(
		[]Package{
			{Name: "a", Version: "1"},
			{Name: "b", Version: "1"},
			{Name: "d", Version: "1"},
			{Name: "e", Version: "1"},
		},
		[]Package{
			{Name: "a", Version: "2"},
			{Name: "a", Version: "1"},
			{Name: "b", Version: "2", Direct: true},
			{Name: "c", Version: "1"},
			{Name: "e", Version: "1"},
		}))
}

func FuzzRead(f *testing.F) {
	for file, text := range samples {
		f.Add(file, []byte(text))
	}
	f.Fuzz(func(t *testing.T, file string, text []byte) {
		found, _ := Read(file, text)
		for _, p := range found {
			require.NotEmpty(t, p.Name)
			require.NotEmpty(t, p.Version)
		}
		require.Empty(t, Compare(found, found))
	})
}
