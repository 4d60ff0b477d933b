package build

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/environment"
	"github.com/bobbinhq/bobbin/repo/build/project"
	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// TestImageOfADevcontainer runs tests in the image that devcontainer.json names, if the engine has it, and in
// the one of the configuration if that names one.
func TestImageOfADevcontainer(t *testing.T) {
	t.Parallel()
	image := os.Getenv("BOBBIN_TEST_IMAGE")
	engine := os.Getenv("BOBBIN_TEST_ENGINE")
	if image == "" || engine == "" {
		// Images exist only where an engine runs, which most machines with the tests have not.
		t.Skip("BOBBIN_TEST_IMAGE and BOBBIN_TEST_ENGINE name no image of a container engine")
	}
	box, err := sandbox.Open(t.Context(), sandbox.Config{
		Kind: sandbox.KindDocker, Engine: engine, Image: image,
	})
	require.NoError(t, err)
	own := addImage(t, engine, image)
	tree := func(image string) repotest.Files {
		return repotest.Files{
			".devcontainer/devcontainer.json": `{"image": "` + image + `"}`,
			"test.sh": "test -e /etc/second && echo ok 1 - second || echo not ok 1 - second\n" +
				"echo 1..1\n",
		}
	}
	for name, c := range map[string]struct {
		named, configured string
		passed, notes     int
	}{
		"the one of the devcontainer":   {named: own, passed: 1},
		"one that the engine lacks":     {named: "bobbin/no-such-image", notes: 1},
		"the one of the configuration":  {named: own, configured: image},
		"none is named: the sandbox's":  {named: image},
		"the configuration's over none": {named: image, configured: own, passed: 1},
	} {
		t.Run(name, func(t *testing.T) {
			m, commits := repotest.NewMirror(t, tree(c.named))
			checker := (&Checker{Caches: Caches{Sandbox: box, Dir: repotest.Shared("cache")}}).For(m)
			found, _, err := checker.Cache.UseEnvironment(t.Context(), commits[0],
				environment.Config{Image: c.configured})
			require.NoError(t, err)
			require.Len(t, found.Notes, c.notes, "%v", found.Notes)
			r, err := checker.Baseline(t.Context(), commits[0], project.Project{Test: "sh test.sh"})
			require.NoError(t, err)
			require.Equal(t, c.passed, r.Passed, r.Output)
		})
	}
	m, commits := repotest.NewMirror(t, tree(own))
	checker := (&Checker{Caches: Caches{Sandbox: box, Dir: repotest.Shared("cache")}}).For(m)
	_, _, err = checker.Cache.UseEnvironment(t.Context(), commits[0],
		environment.Config{Image: "bobbin/no-such-image"})
	require.ErrorContains(t, err, "does not have the image")
}

// addImage adds an image to the engine that has a file more than another one, and returns its name.
func addImage(t *testing.T, engine, of string) string {
	t.Helper()
	run := func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), engine, args...).CombinedOutput()
		require.NoError(t, err, string(out))
		return strings.TrimSpace(string(out))
	}
	name := "localhost/bobbin/test-" + strings.ToLower(t.Name())
	container := run("create", of, "true")
	run("cp", "doc.go", container+":/etc/second")
	run("commit", container, name)
	run("rm", container)
	t.Cleanup(func() { _ = exec.Command(engine, "rmi", "--force", name).Run() })
	return name
}
