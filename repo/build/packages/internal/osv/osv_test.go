package osv_test

import (
	"archive/zip"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/packages/internal/osv"
)

func TestIDs(t *testing.T) {
	t.Parallel()
	require.Equal(t, []string{"CVE-2021-23337", "GHSA-35jh-r3h4-6jhm"},
		osv.IDs("cve-2021-23337, (CVE-2021-23337) and ghsa-35JH-r3h4-6jhm; not CVE-21-1, xCVE-2021-23337, "+
			"GHSA-1234-1234-1234, GHSA-35jh-r3h4-6jhmx"))
}

// affected returns what an advisory says: pairs of introduced and fixed; "<=" before a fixed one makes it the
// last that is affected.
func affected(ecosystem, kind string, events ...string) osv.Affected {
	a := osv.Affected{Ranges: []osv.Range{{Type: kind}}}
	a.Package.Ecosystem = ecosystem
	for i, text := range events {
		e := osv.Event{Introduced: text}
		if last, is := strings.CutPrefix(text, "<="); is {
			e = osv.Event{LastAffected: last}
		} else if i%2 == 1 {
			e = osv.Event{Fixed: text}
		}
		a.Ranges[0].Events = append(a.Ranges[0].Events, e)
	}
	return a
}

func TestCompare(t *testing.T) {
	t.Parallel()
	yes := func(fixed string) osv.Verdict { return osv.Verdict{Affected: true, Fixed: fixed} }
	no := osv.Verdict{}
	unknown := osv.Verdict{Unknown: true}
	npm := affected("npm", "SEMVER", "0", "4.17.21")
	two := affected("npm", "SEMVER", "2.0.0", "2.3.1", "1.0.0", "1.9.4")
	python := affected("PyPI", "ECOSYSTEM", "0", "2.0rc2")
	for _, c := range []struct {
		of      osv.Affected
		version string
		want    osv.Verdict
	}{
		{npm, "4.17.20", yes("4.17.21")},
		{npm, "4.17.21", no},
		{npm, "4.17.21-beta.1", yes("4.17.21")},
		{npm, "10.0.0", no},
		{npm, "nonsense", unknown},
		{npm, "", unknown},
		{two, "1.5.0", yes("1.9.4")},
		{two, "1.9.4", no},
		{two, "2.0.0", yes("2.3.1")},
		{two, "0.9.0", no},
		{affected("npm", "SEMVER", "0", "<=1.4.0"), "1.4.0", yes("")},
		{affected("npm", "SEMVER", "0", "<=1.4.0"), "1.4.1", no},
		{affected("npm", "SEMVER", "0"), "99.0.0", yes("")},
		{affected("Go", "SEMVER", "0", "1.2.3"), "v1.2.2", yes("1.2.3")},
		{
			affected("Go", "SEMVER", "0", "0.0.0-20220314234659-1baeb1ce4c0b"),
			"v0.0.0-20210921155107-089bfa567519", yes("0.0.0-20220314234659-1baeb1ce4c0b"),
		},
		{affected("Go", "SEMVER", "0", "2.0.0"), "v1.0.0+incompatible", yes("2.0.0")},
		{python, "2.0rc1", yes("2.0rc2")},
		{python, "2.0rc2", no},
		{python, "2.0", no},
		{python, "1!0.1", no},
		{python, "2.0.dev1", yes("2.0rc2")},
		{affected("crates.io", "SEMVER", "0.0.0-0", "0.3.1"), "0.3.0", yes("0.3.1")},
		{affected("RubyGems", "ECOSYSTEM", "6.0.0", "6.0.3.1"), "6.0.3", yes("6.0.3.1")},
		{affected("RubyGems", "ECOSYSTEM", "6.0.0", "6.0.3.1"), "6.0.3.1", no},
		{affected("Maven", "ECOSYSTEM", "0", "1.0"), "0.9", unknown},
		{affected("npm", "GIT", "0", "abc"), "1.0.0", unknown},
		{osv.Affected{Versions: []string{"1.0.0"}}, "v1.0.0", yes("")},
		{osv.Affected{Versions: []string{"1.0.0"}}, "1.0.1", no},
		{osv.Affected{}, "1.0.1", unknown},
	} {
		require.Equal(t, c.want, c.of.Compare(c.version), "%s %s %v", c.version, c.of.Package.Ecosystem,
			c.of.Ranges)
	}
	require.Equal(t, ">= 2.0.0, < 2.3.1; >= 1.0.0, < 1.9.4", two.String())
}

const lodash = `{"id": "GHSA-35jh-r3h4-6jhm", "aliases": ["CVE-2021-23337"], "summary": "Command Injection",
	"modified": "2024-01-02T03:04:05Z", "affected": [{"package": {"ecosystem": "npm", "name": "lodash"},
	"ranges": [{"type": "SEMVER", "events": [{"introduced": "0"}, {"fixed": "4.17.21"}]}]}]}`

// Advisories are found by their name and by an alias, in files and in exports. What is too large, is no
// advisory or leads elsewhere is left out.
func TestFind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	put("npm/GHSA-35jh-r3h4-6jhm.json", lodash)
	put("garbage.json", `{"id": "CVE-2021-23337", "affected": {"CVE-2021-23337": 1}}`)
	put("mentioned.json", `{"id": "GHSA-aaaa", "details": "like CVE-2021-23337"}`)
	put("huge.json", `{"id": "CVE-2021-23337", "x": "`+strings.Repeat("x", 2<<20)+`"}`)
	put("MAL-2024-1.json", lodash)
	put("broken.zip", "PK no zip")
	put("note.txt", lodash)
	outside := filepath.Join(t.TempDir(), "outside.json")
	require.NoError(t, os.WriteFile(outside, []byte(lodash), 0o644))
	require.NoError(t, os.Symlink(outside, filepath.Join(dir, "link.json")))
	f, err := os.Create(filepath.Join(dir, "all.zip"))
	require.NoError(t, err)
	z := zip.NewWriter(f)
	changed := time.Now().Add(time.Hour).Truncate(time.Second)
	for name, text := range map[string]string{
		"GO-2024-1.json": `{"id": "GO-2024-1", "aliases": ["cve-2021-23337"], "x": "CVE-2021-23337"}`,
		"bomb.json":      `{"id": "CVE-2021-23337", "x": "` + strings.Repeat("0", 3<<20) + `"}`,
	} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: changed})
		require.NoError(t, err)
		_, err = w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	require.NoError(t, f.Close())

	for _, name := range []string{"CVE-2021-23337", "GHSA-35jh-r3h4-6jhm"} {
		found, err := osv.Find(t.Context(), dir, []string{name})
		require.NoError(t, err)
		require.False(t, found.Cut)
		require.Equal(t, 6, found.Looked)
		var ids []string
		for _, e := range found.Entries {
			ids = append(ids, e.ID)
		}
		if name == "CVE-2021-23337" {
			require.Equal(t, []string{"GHSA-35jh-r3h4-6jhm", "GO-2024-1"}, ids)
		} else {
			require.Equal(t, []string{"GHSA-35jh-r3h4-6jhm"}, ids)
		}
	}
	n, newest, err := osv.Newest(t.Context(), dir)
	require.NoError(t, err)
	require.Equal(t, 7, n)
	require.WithinDuration(t, changed, newest, 2*time.Second)
	_, err = osv.Find(t.Context(), filepath.Join(dir, "none"), []string{"CVE-2021-23337"})
	require.Error(t, err)
}

// FuzzEntry checks that any advisory is compared with any version without a panic.
func FuzzEntry(f *testing.F) {
	f.Add([]byte(lodash), "4.17.20")
	f.Add([]byte(`{"affected":[{"package":{"ecosystem":"PyPI"},"ranges":[{"type":"ECOSYSTEM","events":`+
		`[{"introduced":"1.a"},{"fixed":"2!0.post.dev"},null]}]}]}`), "1!2.0rc1")
	f.Add([]byte(`{"affected":[{"package":{"ecosystem":"RubyGems"},"versions":["1.0.a"],"ranges":null}]}`),
		"1.0.a")
	f.Fuzz(func(t *testing.T, text []byte, version string) {
		var e osv.Entry
		if json.Unmarshal(text, &e) != nil {
			return
		}
		e.Names(version)
		osv.IDs(version)
		for _, a := range e.Affected {
			verdict := a.Compare(version)
			require.False(t, verdict.Affected && verdict.Unknown)
			_ = a.String()
		}
	})
}
