package packages

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// environmentFiles are a repository whose script builds a tool from a file of the repository.
func environmentFiles() files {
	return files{
		"ci/install.sh": "#!/bin/sh\nset -e\nmkdir -p $ENVIRONMENT/bin\n" +
			"{ echo '#!/bin/sh'; echo \"echo tool $(cat versions.env)\"; } >$ENVIRONMENT/bin/tool\n" +
			"chmod +x $ENVIRONMENT/bin/tool; ls >$ENVIRONMENT/seen\n",
		"versions.env": "1.2",
		"secret.txt":   "a file that nothing names",
	}
}

// TestCommandsOfTheOperatorInstall runs a script of the repository once. What it leaves is there for later
// commands, read-only, and it runs again when a file that it needs changes, and no other.
func TestCommandsOfTheOperatorInstall(t *testing.T) {
	t.Parallel()
	s := box(t)
	how := Extra{Run: []string{"./ci/install.sh"}, Inputs: []string{"*.env"}}
	f, j, _ := fetching(t, s, environmentFiles())
	j.Config.Extra = how
	p := fetch(t, f, j)
	require.True(t, p.Fetched)
	out, err := run(t, s, p, nil, "tool && cat /cache/environment/seen && "+
		"! touch /cache/environment/x 2>/dev/null")
	require.NoError(t, err, out)
	require.Equal(t, "tool 1.2\nci\nversions.env\n", out, "the command saw no other file")
	require.False(t, fetch(t, f, j).Fetched)

	key := func(tree files, how Extra) string {
		var c Config
		c.Extra = how
		m, commit := mirrorOf(t, tree)
		plans, err := findPlans(t.Context(), m, commit, c)
		require.NoError(t, err)
		require.Len(t, plans, 1)
		key, err := plans[0].cacheKey(c, nil, "")
		require.NoError(t, err)
		return key
	}
	with := func(name, text string) files {
		tree := environmentFiles()
		tree[name] = text
		return tree
	}
	first := key(environmentFiles(), how)
	require.Equal(t, first, key(with("secret.txt", "changed"), how))
	require.NotEqual(t, first, key(with("versions.env", "1.3"), how))
	require.NotEqual(t, first, key(with("ci/install.sh", "#!/bin/sh\n"), how))
	require.NotEqual(t, first, key(environmentFiles(), Extra{Run: []string{"sh ci/install.sh"}}))
}

// TestACommandOfTheOperatorThatFails names the cause and the file with the whole output.
func TestACommandOfTheOperatorThatFails(t *testing.T) {
	t.Parallel()
	f, j, _ := fetching(t, box(t), environmentFiles())
	j.Config.Extra = Extra{Run: []string{"seq 2000; echo no compiler >&2; exit 3"}}
	m := failure(t, f, j)
	require.Equal(t, "setup: the packages that environment.setup names: `seq 2000; echo no compiler >&2; "+
		"exit 3` failed with exit code 3; correct the command in `environment.setup`", m.Error())
	require.Contains(t, m.Output, "no compiler")
	log, err := os.ReadFile(m.Log)
	require.NoError(t, err)
	require.Contains(t, string(log), "1\n2\n3\n", "the log begins where the output does")
	j.Config.Extra = Extra{Run: []string{"true"}, Inputs: []string{"ci", "gone/*"}}
	require.Contains(t, failure(t, f, j).Output, "environment.inputs: no file is like gone/*")
}
