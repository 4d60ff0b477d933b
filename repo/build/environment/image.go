package environment

import (
	"context"
	"fmt"

	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// Sandbox returns the sandbox for the repository's commands: box, or where commands run in images (the kind
// docker) that with the image of the configuration, or else with the one that the files name for development.
// If the engine lacks the image of the files, a note says so, and box is returned. If it lacks the configured
// one, the error is a *sandbox.Unavailable.
func (e *Environment) Sandbox(
	ctx context.Context, box *sandbox.Sandbox, how Config,
) (*sandbox.Sandbox, error) {
	if how.Image != "" {
		return box.WithImage(ctx, how.Image)
	}
	if e.Image == "" || !box.UsesImage() {
		return box, nil
	}
	chosen, err := box.WithImage(ctx, e.Image)
	if err != nil && ctx.Err() == nil {
		e.Notes = append(e.Notes, fmt.Sprintf("%s names the image %s: %v", e.ImageFrom, e.Image, err))
		return box, nil
	}
	return chosen, err
}
