package sandbox

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Kinds that have no images say so.
func TestKindsWithoutImages(t *testing.T) {
	t.Parallel()
	for kind, s := range opened() {
		if kind == KindDocker {
			continue
		}
		_, err := s.WithImage(t.Context(), "x")
		var u *Unavailable
		require.ErrorAs(t, err, &u, kind)
		require.Contains(t, u.Cure, "sandbox.kind", kind)
		require.Empty(t, s.ImageID())
	}
}

// A sandbox with another image, for a repository, runs its programs, and is opened once for each content.
func TestImageOfARepository(t *testing.T) {
	t.Parallel()
	s := opened()[KindDocker]
	if s == nil {
		// if BOBBIN_TEST_IMAGE is set and the engine does not work, opened has failed already
		t.Skip("BOBBIN_TEST_IMAGE names no image")
	}
	c := configOf(KindDocker)
	same, err := s.WithImage(t.Context(), c.Image)
	require.NoError(t, err)
	require.Same(t, s, same)
	_, err = s.WithImage(t.Context(), "bobbin/no-such-image")
	require.ErrorContains(t, err, "does not have the image bobbin/no-such-image")

	name := "bobbin/test-" + strings.ToLower(filepath.Base(t.TempDir()))
	engine := func(args ...string) string {
		out, err := exec.CommandContext(t.Context(), c.Engine, args...).CombinedOutput()
		require.NoError(t, err, string(out))
		return strings.TrimSpace(string(out))
	}
	container := engine("create", c.Image, "true")
	engine("cp", "image_linux_test.go", container+":/etc/second")
	engine("commit", container, name)
	engine("rm", container)
	t.Cleanup(func() { _ = exec.Command(c.Engine, "rmi", "--force", name).Run() })
	second, err := s.WithImage(t.Context(), name)
	require.NoError(t, err)
	require.NotEqual(t, s.ImageID(), second.ImageID())
	again, err := second.WithImage(t.Context(), name)
	require.NoError(t, err)
	require.Same(t, second, again)
	dir := t.TempDir()
	require.NoError(t, second.Command(dir, "test", "-e", "/etc/second").Run(t.Context()))
	require.Error(t, s.Command(dir, "test", "-e", "/etc/second").Run(t.Context()), "the control")
}
