package upgrades

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/migrations"
)

// A release is a version that people run. Its databases exist, so its migrations must not change by a single
// byte. A new release is a new entry, with the migrations that it brought and a dump in testdata/releases.
type release struct {
	version string
	brought map[string]string // SHA-256 by migration
}

var releases = []release{
	{
		"0.1",
		map[string]string{
			"00001_the_main_path.sql": "83cfa707b14e9737a66537ccb50e284c7ae03cfd938d1a2a25ee73d1888f2dd8",
		},
	},
	{"0.2", map[string]string{
		"00002_every_workflow.sql": "7fe0ee3261be1906f9757f63b8716366eaac2d35c30a6646a8e071983ae27980",
		"00003_workspaces.sql":     "8f9923d45b6f94dcae5a03eb54f1fc29cab74e863d891aed3e7e6dde506d3af9",
	}},
}

func TestMigrationsGoForwardOnly(t *testing.T) {
	t.Parallel()
	require.Empty(t, backward(t, migrations.Files))
}

// Each rule has a control: the same migrations with one breach of the rule.
func TestMigrationsThatDoNotGoForwardAreFoundOut(t *testing.T) {
	t.Parallel()
	sound := func() fstest.MapFS {
		files := fstest.MapFS{}
		require.NoError(t,
			fs.WalkDir(migrations.Files, ".", func(name string, d fs.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					text, err := fs.ReadFile(migrations.Files, name)
					files[name] = &fstest.MapFile{Data: text}
					return err
				}
				return err
			}))
		return files
	}
	first := "00001_the_main_path.sql"
	newest := fmt.Sprintf("%05d_x.sql", len(sound())+1)
	require.Empty(t, backward(t, sound()))
	for want, breach := range map[string]func(fstest.MapFS){
		first + " was changed after 0.1": func(m fstest.MapFS) {
			m[first].Data = append(m[first].Data, '\n')
		},
		first + " of 0.1 is gone": func(m fstest.MapFS) { delete(m, first) },
		newest + " has a way down": func(m fstest.MapFS) {
			m[newest] = &fstest.MapFile{Data: []byte("-- +goose Up\n-- +goose Down\n")}
		},
		newest + " takes away what an older program may use": func(m fstest.MapFS) {
			m[newest] = &fstest.MapFile{Data: []byte("-- +goose Up\nalter table x\n\tdrop column y;")}
		},
		"00001_late.sql comes before a released one": func(m fstest.MapFS) {
			m["00001_late.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\n")}
		},
		"99999_x.sql does not follow the one before it": func(m fstest.MapFS) {
			m["99999_x.sql"] = &fstest.MapFile{Data: []byte("-- +goose Up\n")}
		},
	} {
		files := sound()
		breach(files)
		require.Contains(t, backward(t, files), want)
	}
}

var (
	wayDown   = regexp.MustCompile(`(?i)\+goose\s+down`)
	takesAway = regexp.MustCompile(`(?i)\b(drop\s+(table|column|type|function)|truncate|rename|` +
		`delete\s+from|alter\s+(column\s+)?\w+\s+(set\s+data\s+)?type)\b`)
	comment = regexp.MustCompile(`(?m)--.*$`)
)

// backward returns a line for each rule that the migrations break.
func backward(t *testing.T, files fs.FS) (found []string) {
	t.Helper()
	names, err := fs.Glob(files, "*.sql")
	require.NoError(t, err)
	released := map[string]string{}
	for _, r := range releases {
		for _, name := range slices.Sorted(maps.Keys(r.brought)) {
			text, err := fs.ReadFile(files, name)
			if err != nil {
				found = append(found, fmt.Sprintf("%s of %s is gone", name, r.version))
			} else if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != r.brought[name] {
				found = append(found, fmt.Sprintf("%s was changed after %s", name, r.version))
			}
			released[name] = r.version
		}
	}
	for n, name := range names {
		text, err := fs.ReadFile(files, name)
		require.NoError(t, err)
		switch sql := comment.ReplaceAllString(string(text), ""); {
		case released[name] == "" && n+1 <= len(released):
			found = append(found, name+" comes before a released one")
		case !strings.HasPrefix(name, fmt.Sprintf("%05d_", n+1)):
			found = append(found, name+" does not follow the one before it")
		case wayDown.Match(text):
			found = append(found, name+" has a way down")
		case takesAway.MatchString(sql):
			found = append(found, name+" takes away what an older program may use")
		}
	}
	return found
}
