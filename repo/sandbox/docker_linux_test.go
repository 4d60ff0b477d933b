package sandbox

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// Without an engine that answers and has the image, there is no sandbox.
func TestEngineThatIsNotThere(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		config    Config
		why, cure string
	}{
		"no image": {Config{Engine: "docker"}, "no image is named", "sandbox.image"},
		"no engine": {
			Config{Engine: "/no/such/docker", Image: "x"},
			"/no/such/docker not found",
			"install Docker or Podman",
		},
		"not one":      {Config{Engine: "false", Image: "x"}, "the engine cannot be reached", "start it"},
		"no container": {Config{Engine: "true", Image: "x"}, "", "static build"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.config.Kind = KindDocker
			requireUnavailable(t, c.config, c.why, c.cure)
		})
	}
}

func requireUnavailable(t *testing.T, c Config, why, cure string) {
	t.Helper()
	s, err := Open(t.Context(), c)
	require.Nil(t, s)
	var u *Unavailable
	require.ErrorAs(t, err, &u)
	require.Equal(t, c.Kind, u.Kind)
	require.Contains(t, u.Why, why)
	require.Contains(t, u.Cure, cure)
	require.NotContains(t, err.Error(), "\n")
}

// The real client, without an engine.
func TestEngineThatDoesNotAnswer(t *testing.T) {
	if _, err := exec.LookPath("docker"); err != nil {
		t.Skip("there is no docker client")
	}
	t.Setenv("DOCKER_HOST", "unix:///no/such/docker.sock")
	requireUnavailable(t, Config{Kind: KindDocker, Engine: "docker", Image: "x"},
		"the engine cannot be reached", "DOCKER_HOST")
}

// An image that the engine does not have is not pulled.
func TestImageThatIsNotThere(t *testing.T) {
	t.Parallel()
	if opened()[KindDocker] == nil {
		// if BOBBIN_TEST_IMAGE is set and the engine does not work, opened has failed already
		t.Skip("BOBBIN_TEST_IMAGE names no image")
	}
	c := configOf(KindDocker)
	c.Image = "bobbin/no-such-image"
	requireUnavailable(t, c, "does not have the image bobbin/no-such-image", "pull bobbin/no-such-image")
}
