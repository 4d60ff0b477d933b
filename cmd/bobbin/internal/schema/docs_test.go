package schema

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
)

// docs is the folder of the documents.
var docs = filepath.Join("..", "..", "..", "..", "docs")

const rewrite = "generated: UPDATE_GOLDEN=1 go test ./cmd/bobbin/internal/schema"

// TestEverySettingIsDescribed checks that settings.yaml describes each key of the configuration, and no
// other.
func TestEverySettingIsDescribed(t *testing.T) {
	t.Parallel()
	all, err := readSettings()
	require.NoError(t, err)
	keys, err := tree()
	require.NoError(t, err)
	known := map[string]bool{}
	each(keys, func(n *node) {
		if n.Is == "" {
			t.Errorf("settings.yaml does not say what %s is", n.path)
		}
		require.Regexp(t, `\.$`, n.Is, n.path)
		if len(n.keys) == 0 && n.exampleValue() == "" {
			t.Errorf("settings.yaml has no example of %s", n.path)
		}
		known[n.path] = n.described
	})
	for path := range all {
		if !known[path] {
			t.Errorf("settings.yaml describes %s, and the configuration has no such key", path)
		}
	}
}

// TestWordsAreThoseOfTheConfiguration checks that the configuration accepts exactly the words that
// settings.yaml lists: it names them when it refuses another one.
func TestWordsAreThoseOfTheConfiguration(t *testing.T) {
	t.Parallel()
	keys, err := tree()
	require.NoError(t, err)
	listed := regexp.MustCompile(`unknown .* "nonsense"; one of ([^;\n]*)`)
	each(keys, func(n *node) {
		if len(n.Values) == 0 || !n.described {
			return
		}
		file := filepath.Join(t.TempDir(), "bobbin.yaml")
		text, err := yaml.Marshal(fileWith(strings.Split(n.path, "."), "nonsense"))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(file, text, 0o600))
		_, err = config.Load(file)
		require.Error(t, err, n.path)
		allowed := listed.FindStringSubmatch(err.Error())
		require.NotNil(t, allowed, "%s: %v", n.path, err)
		require.ElementsMatch(t, strings.Split(allowed[1], ", "), words(n.Values), n.path)
	})
}

// fileWith returns a configuration with a value at a path, and what a repository needs besides.
func fileWith(path []string, value any) any {
	if len(path) == 0 {
		return value
	}
	key, isList := strings.CutSuffix(path[0], "[]")
	below := fileWith(path[1:], value)
	if !isList {
		return map[string]any{strings.Replace(key, "NAME", "deep", 1): below}
	}
	if item, ok := below.(map[string]any); ok && key == "repositories" {
		item["name"] = "shop"
		item["url"] = "https://github.com/acme/shop.git"
		item["channels"] = []string{"C1ABC"}
		return map[string]any{key: []any{item}}
	}
	return map[string]any{key: []any{below}}
}

// TestTheExampleIsCurrent checks docs/configuration/example.yaml.
func TestTheExampleIsCurrent(t *testing.T) {
	t.Parallel()
	keys, err := tree()
	require.NoError(t, err)
	compare(t, filepath.Join(docs, "configuration", "example.yaml"), exampleOf(keys))
}

// TestTablesOfSettingsAreCurrent checks the tables of settings in the documents. A table stands between
// "<!-- settings: PATH … -->" and "<!-- end of settings -->"; a path that ends in a dot stands for all keys
// below it. Each setting is in a table.
func TestTablesOfSettingsAreCurrent(t *testing.T) {
	t.Parallel()
	keys, err := tree()
	require.NoError(t, err)
	pages, err := filepath.Glob(filepath.Join(docs, "configuration", "*.md"))
	require.NoError(t, err)
	shown := map[string]bool{}
	for _, page := range append(pages, filepath.Join(docs, "models.md"), filepath.Join(docs, "sources.md")) {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		compare(t, page, tables.ReplaceAllStringFunc(string(text), func(old string) string {
			paths := strings.Fields(tables.FindStringSubmatch(old)[1])
			chosen := choose(keys, paths)
			require.NotEmpty(t, chosen, "%s: %s", page, paths)
			for _, n := range chosen {
				shown[n.path] = true
			}
			return fmt.Sprintf("<!-- settings: %s -->\n\n%s\n<!-- end of settings -->",
				strings.Join(paths, " "), tableOf(chosen))
		}))
	}
	var missing []string
	each(keys, func(n *node) {
		if len(n.keys) == 0 && n.described && !shown[n.path] {
			missing = append(missing, n.path)
		}
	})
	require.Empty(t, missing, "no document has a table with these settings")
}

var tables = regexp.MustCompile(`(?s)<!-- settings: ([^>]*?) -->.*?<!-- end of settings -->`)

// maxPage is the most lines of a page: a topic is one screen.
const maxPage = 70

// TestEachTopicIsOneScreen checks that the pages of the configuration are short, that each begins with what
// it is for, and that the index names each.
func TestEachTopicIsOneScreen(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(filepath.Join(docs, "configuration", "*.md"))
	require.NoError(t, err)
	require.NotEmpty(t, pages)
	index, err := os.ReadFile(filepath.Join(docs, "configuration.md"))
	require.NoError(t, err)
	for _, page := range pages {
		text, err := os.ReadFile(page)
		require.NoError(t, err)
		require.LessOrEqual(t, strings.Count(string(text), "\n"), maxPage, page)
		require.Regexp(t, `\A# .+\n\nThis page `, string(text), page)
		require.Contains(t, string(index), "(configuration/"+filepath.Base(page)+")")
	}
}

// choose returns the nodes that the paths name.
func choose(keys []*node, paths []string) (chosen []*node) {
	for _, path := range paths {
		each(keys, func(n *node) {
			key := path
			if strings.HasSuffix(path, ".") {
				key += n.name
			}
			if n.path == key && !slices.Contains(chosen, n) {
				chosen = append(chosen, n)
			}
		})
	}
	return chosen
}

// tableOf returns tables of settings in Markdown: those of a repository, and those at the top of the file.
func tableOf(nodes []*node) string {
	var parts []string
	for _, of := range []struct{ head, prefix string }{
		{"setting of a repository", "repositories[]."}, {"setting", ""},
	} {
		var rows []string
		for _, n := range nodes {
			path, ofRepository := strings.CutPrefix(n.path, "repositories[].")
			if ofRepository == (of.prefix == "") {
				continue
			}
			rows = append(rows, fmt.Sprintf("| `%s` | %s | %s |\n", strings.ReplaceAll(path, "[]", ""),
				n.describe(), n.otherwise()))
		}
		if len(rows) > 0 {
			head := "| " + of.head + " | meaning | default |\n|---|---|---|\n"
			parts = append(parts, head+strings.Join(rows, ""))
		}
	}
	return strings.Join(parts, "\n")
}

func each(keys []*node, do func(*node)) {
	for _, n := range keys {
		do(n)
		each(n.keys, do)
	}
}

// compare compares a file with what it has to be. UPDATE_GOLDEN=1 writes it.
func compare(t *testing.T, name, want string) {
	t.Helper()
	got, err := os.ReadFile(name)
	require.NoError(t, err)
	if os.Getenv("UPDATE_GOLDEN") != "" && string(got) != want {
		require.NoError(t, os.WriteFile(name, []byte(want), 0o644))
		return
	}
	require.Equal(t, want, string(got), "%s is %s", name, rewrite)
}
