package packages

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// An advisory is compared with what the lock files say, and names the bump that mends it. Nothing is fetched.
func TestFindAdvisories(t *testing.T) {
	t.Parallel()
	commits, commit := mirrorOf(t, files{
		"package-lock.json": `{"lockfileVersion": 3, "packages": {
			"": {"dependencies": {"lodash": "^4"}},
			"node_modules/lodash": {"version": "4.17.20"},
			"node_modules/a/node_modules/lodash": {"version": "4.17.21"}}}`,
		"node_modules/x/package-lock.json": `{"packages": {"node_modules/lodash": {"version": "1.0.0"}}}`,
		"py/requirements.txt":              "Foo_Bar==1.0\n",
		"yarn.lock":                        "lodash@^3:\n  version \"nonsense\"\n",
	})
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "all.json"), []byte(`{"id": "GHSA-35jh-r3h4-6jhm",
		"aliases": ["CVE-2021-23337"], "summary": "Command Injection\nin lodash", "affected": [
		{"package": {"ecosystem": "npm", "name": "lodash"}, "ranges": [{"type": "SEMVER",
			"events": [{"introduced": "0"}, {"fixed": "4.17.21"}]}]},
		{"package": {"ecosystem": "npm", "name": "lodash-es"}, "ranges": [{"type": "SEMVER",
			"events": [{"introduced": "0"}, {"fixed": "4.17.21"}]}]},
		{"package": {"ecosystem": "PyPI", "name": "foo.bar"}, "ranges": [{"type": "ECOSYSTEM",
			"events": [{"introduced": "0"}, {"fixed": "1.1"}]}]}]}`), 0o644))
	names := AdvisoryNames("please see to cve-2021-23337 and CVE-2020-1")
	require.Equal(t, []string{"CVE-2021-23337"}, names)
	_, err := FindAdvisories(t.Context(), commits, commit, Config{}, names)
	require.ErrorIs(t, err, ErrNoAdvisories)

	got, err := FindAdvisories(t.Context(), commits, commit, Config{Advisories: dir},
		append(names, "CVE-1999-0001"))
	require.NoError(t, err)
	require.Equal(t, Advisories{Looked: 1, Found: []Advisory{{
		Name: "CVE-2021-23337", Entries: []string{"GHSA-35jh-r3h4-6jhm: Command Injection in lodash"},
		Packages: []AdvisedPackage{
			{
				Ecosystem: "npm", Name: "lodash", Affected: ">= 0, < 4.17.21", Fixed: []string{"4.17.21"},
				Installed: []InstalledVersion{
					{Version: "4.17.20", File: "package-lock.json", Affected: true, Fixed: "4.17.21"},
					{Version: "4.17.21", File: "package-lock.json"},
					{Version: "nonsense", File: "yarn.lock", Unknown: true},
				},
			},
			{Ecosystem: "npm", Name: "lodash-es", Affected: ">= 0, < 4.17.21", Fixed: []string{"4.17.21"}},
			{
				Ecosystem: "PyPI", Name: "foo.bar", Affected: ">= 0, < 1.1", Fixed: []string{"1.1"},
				Installed: []InstalledVersion{
					{Version: "1.0", File: "py/requirements.txt", Affected: true, Fixed: "1.1"},
				},
			},
		},
	}, {Name: "CVE-1999-0001"}}}, got)

	for _, c := range []struct {
		name, version string
		want          bool
	}{
		{"lodash", "4.17.21", true},
		{"lodash", "v4.17.21", true},
		{"Foo-Bar", "1.1", true},
		{"lodash", "4.17.22", false},
		{"lodash", "", false},
		{"lodash-es", "4.17.21", false},
		{"Lodash", "4.17.21", false},
	} {
		require.Equal(t, c.want, got.NamesBump(c.name, c.version), c)
	}
	_, err = FindAdvisories(t.Context(), commits, commit, Config{Advisories: dir + "/none"}, names)
	require.ErrorContains(t, err, "setup.advisories")
}
