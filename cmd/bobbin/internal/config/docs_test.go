package config

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// docs is the folder of the documents.
var docs = filepath.Join("..", "..", "..", "..", "docs")

// guide returns a document with files that exist in place of those that it names.
func guide(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(docs, name))
	require.NoError(t, err)
	sign, _ := savedKey(t, 0o600)
	return strings.NewReplacer("/etc/bobbin/sign", sign, "/run/secrets/app.pem", keyFile(t, 0o600),
		"/etc/bobbin/skills", t.TempDir(), "/srv/osv", t.TempDir()).Replace(string(text))
}

var (
	fenced       = regexp.MustCompile("(?ms)^```(?:yaml)?\n(.*?)^```")
	commentedKey = regexp.MustCompile(`(?m)^( *)# ([^#])`)
)

// TestDocumentedConfigurationIsTaken checks that docs/configuration/example.yaml is accepted, and
// each key that it shows as a comment, but for those that exclude each other.
func TestDocumentedConfigurationIsTaken(t *testing.T) {
	t.Parallel()
	shown := guide(t, "configuration/example.yaml")
	_, err := parseConfig("example.yaml", []byte(shown))
	require.NoError(t, err)
	whole := commentedKey.ReplaceAllString(shown, "$1$2")
	_, err = parseConfig("c", []byte(whole))
	require.Error(t, err)
	exclusive := regexp.MustCompile(`^c:\d+: (` + strings.Join([]string{
		`repositories\.shop\.environment\.image needs sandbox\.kind docker`,
		`repositories\.shop\.token_env and github_app: set only one`,
		`repositories\.shop\.github_app\.key_file app\.pem: no such file`,
		`repositories\.shop\.setup\.auth\[0\]\.user_env: set only one`,
		`sandbox\.(image|engine|runsc)`,
		`sources\.loki\.(command|token_env|token_header|headers)`,
		`github_app: no repository has`,
	}, "|") + ")")
	for line := range strings.Lines(err.Error()) {
		require.Regexp(t, exclusive, line)
	}
}

// TestDocumentedPartsAreTaken checks that each part of a configuration in the guides is accepted where it
// belongs: in a repository, or at the top of the file.
func TestDocumentedPartsAreTaken(t *testing.T) {
	t.Parallel()
	taken := map[string]bool{}
	pages, err := filepath.Glob(filepath.Join(docs, "configuration", "*.md"))
	require.NoError(t, err)
	for _, page := range append(pages, filepath.Join(docs, "sources.md")) {
		name, err := filepath.Rel(docs, page)
		require.NoError(t, err)
		for _, part := range fenced.FindAllStringSubmatch(guide(t, name), -1) {
			key, _, _ := strings.Cut(part[1], ":")
			whole := "repositories:\n- name: shop\n  url: https://github.com/acme/shop.git\n  host: on\n"
			if strings.Contains(part[1], "https://github.example.com/") {
				whole = strings.Replace(whole, "github.com", "github.example.com", 1)
			}
			switch ofRepository := slices.Contains(keysOf[Repository](), key); {
			case key == "host":
				whole = strings.Replace(whole, "  host: on\n", indent(part[1]), 1)
			case ofRepository && key != "github_app" && !strings.Contains(part[1], "at the top level"):
				whole += indent(part[1])
			case slices.Contains(keysOf[Config](), key) && key != "repositories":
				whole += part[1]
			default:
				continue // the whole file, or no configuration of Bobbin
			}
			_, err := parseConfig("c", []byte(whole))
			require.NoError(t, err, "%s:\n%s", name, whole)
			taken[key] = true
		}
	}
	for _, key := range []string{"approvals", "host", "commits", "push_to", "words", "people", "trackers"} {
		require.True(t, taken[key], key)
	}
}

// keysOf returns the keys of a part of the file.
func keysOf[T any]() (keys []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		keys = append(keys, f.Tag.Get("yaml"))
	}
	return keys
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}
