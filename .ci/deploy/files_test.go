package deploy

import (
	"context"
	"encoding/json"
	"os"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/moby/buildkit/client/llb"
	"github.com/moby/buildkit/client/llb/sourceresolver"
	"github.com/moby/buildkit/frontend/dockerfile/dockerfile2llb"
	"github.com/opencontainers/go-digest"
	"github.com/stretchr/testify/require"
)

// TestComposeFile loads the compose file with the library of Docker Compose 2, and checks that
// a missing token is an error.
func TestComposeFile(t *testing.T) {
	t.Parallel()
	load := func(env ...string) error {
		o, err := cli.NewProjectOptions([]string{"../../docker-compose.yml"}, cli.WithName("try"),
			cli.WithEnv(env))
		require.NoError(t, err)
		p, err := cli.ProjectFromOptions(t.Context(), o)
		if err == nil {
			require.ElementsMatch(t, []string{"bot", "db"}, p.ServiceNames())
			require.Equal(t, "go", p.Services["bot"].Build.Target)
			require.False(t, bool(p.Services["bot"].Volumes[0].Bind.CreateHostPath),
				"a missing bobbin.yaml is said, and does not become a folder of root's")
		}
		return err
	}
	require.NoError(t, load("SLACK_BOT_TOKEN=xoxb-1", "SLACK_APP_TOKEN=xapp-1"))
	require.ErrorContains(t, load("SLACK_BOT_TOKEN=xoxb-1"), "the app-level token, xapp-…")
}

// unpulled is an image resolver for base images that asks no registry: every image
// has an empty configuration.
type unpulled struct{}

// ResolveImageConfig implements llb.ImageMetaResolver.
func (unpulled) ResolveImageConfig(
	_ context.Context, ref string, _ sourceresolver.Opt,
) (string, digest.Digest, []byte, error) {
	return ref, "", []byte(`{"architecture":"amd64","os":"linux"}`), nil
}

// TestDockerfile runs the checks of "docker build --check" on every stage of the Dockerfile.
func TestDockerfile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../deploy/Dockerfile")
	require.NoError(t, err)
	said := func(text string) string {
		t.Helper()
		source := llb.NewSourceMap(nil, "Dockerfile", "Dockerfile", []byte(text))
		source.Definition = &llb.Definition{}
		results, err := dockerfile2llb.DockerfileLint(t.Context(), []byte(text), dockerfile2llb.ConvertOpt{
			MetaResolver: unpulled{},
			SourceMap:    source,
		})
		require.NoError(t, err)
		b, err := json.Marshal(map[string]any{"warnings": results.Warnings, "error": results.Error})
		require.NoError(t, err)
		return string(b)
	}
	require.JSONEq(t, `{"warnings": null, "error": null}`, said(string(text)))
	require.Contains(t, said("FROM debian as a\nCMD serve\n"), "JSONArgsRecommended", "control")
	require.Contains(t, said("FROM debian\nCOPIE a b\n"), "unknown instruction", "control")
}
