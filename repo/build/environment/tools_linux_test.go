package environment

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// plantHome writes programs of version managers into a home that commands may see.
func plantHome(t *testing.T, files map[string]string) string {
	t.Helper()
	home, err := os.MkdirTemp("", "bobbin-")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(home) })
	require.NoError(t, os.Chmod(home, 0o755))
	for name, text := range files {
		file := filepath.Join(home, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o755))
	}
	return home
}

// printed runs a line of shell with the chosen tools and returns what it prints.
func printed(t *testing.T, box *sandbox.Sandbox, e *Environment, line string) string {
	t.Helper()
	var out bytes.Buffer
	cmd := box.Command(repotest.WriteTree(t, nil), "sh", "-c", line)
	var err error
	cmd.Mounts, cmd.Env, err = e.Use(box, filepath.Join(plantHome(t, nil), "links"))
	require.NoError(t, err)
	cmd.Stdout = &out
	cmd.Stderr = &out
	require.NoError(t, cmd.Run(t.Context()), out.String())
	return out.String()
}

// TestTheWantedVersionIsUsed has several versions of two tools below a home. The one that the repository
// wants is found first by commands; where none fits, commands have what they had, and that is known.
func TestTheWantedVersionIsUsed(t *testing.T) {
	t.Parallel()
	version := func(v string) string { return "#!/bin/sh\necho v" + v + "\n" }
	home := plantHome(t, map[string]string{
		".nvm/versions/node/v97.1.0/bin/node": version("97.1.0"),
		".nvm/versions/node/v97.2.0/bin/node": version("97.2.0"),
		".nvm/versions/node/v98.0.0/bin/node": version("98.0.0"),
		".pyenv/versions/9.1.0/bin/python3":   version("9.1.0"),
	})
	box := repotest.OpenSandbox(t)
	dir := repotest.WriteTree(t, nil)
	tools := &Tools{Home: home}
	look := func(files ...string) *Environment {
		e := Find(tree(files...), Config{})
		require.NoError(t, tools.Look(t.Context(), e, box, dir))
		return e
	}
	e := look(".nvmrc", "97", ".python-version", "8.0")
	require.Equal(t, "97.2.0", e.Tools[0].Has, "the newest that fits")
	require.False(t, e.Tools[0].Differs)
	require.Equal(t, "v97.2.0\n", printed(t, box, e, "node --version"))
	require.NotEqual(t, "9.1.0", e.Tools[1].Has, "it is not the wanted one either")
	require.Empty(t, e.Tools[1].Path)
	require.NotEmpty(t, e.Key())

	e = look(".nvmrc", "95")
	require.NotContains(t, printed(t, box, e, "node --version || true"), "v9", "the control")
	require.Empty(t, e.Key())
	e = look("go.mod", "module x\n")
	require.NoError(t, tools.Look(t.Context(), e, box, dir), "nothing is wanted")
}

// TestProgramsOfAnotherName runs a program below /usr under the name by which commands call it.
func TestProgramsOfAnotherName(t *testing.T) {
	t.Parallel()
	e := &Environment{used: []usedProgram{{finders["python"], program{path: "/usr/bin/env"}}}}
	box := repotest.OpenSandbox(t)
	require.Contains(t, printed(t, box, e, "python3 --version"), "coreutils")
	require.Contains(t, printed(t, box, e, "python --version"), "coreutils")
	control := printed(t, box, &Environment{}, "python3 --version || true")
	require.NotContains(t, control, "coreutils")
}

// TestPackagesOfTheSystem tells packages of Debian that are installed from others.
func TestPackagesOfTheSystem(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/usr/bin/dpkg"); err != nil {
		// Only there can be told what is installed.
		t.Skip("this machine has no packages of Debian")
	}
	e := Find(tree(gitlabFile,
		"test: {script: [apt-get install -y dpkg no-such-package, make test]}\n"), Config{})
	require.NoError(t, (&Tools{}).Look(t.Context(), e, repotest.OpenSandbox(t), repotest.WriteTree(t, nil)))
	require.Len(t, e.Packages, 2)
	require.Equal(t, ".gitlab-ci.yml installs packages that are not installed here: "+
		"`apt-get install no-such-package`", e.PackagesLine())
}
