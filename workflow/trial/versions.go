package trial

import (
	"context"
	"os"

	"github.com/bobbinhq/bobbin/repo/build/environment"
	"github.com/bobbinhq/bobbin/repo/sandbox"
)

// lookTools finds which of the wanted tools are installed where commands run. Without a sandbox nothing is
// known.
func lookTools(
	ctx context.Context, found *environment.Environment, box *sandbox.Sandbox, how environment.Config,
	dir string,
) {
	if box == nil {
		return
	}
	if own, err := found.Sandbox(ctx, box, how); err != nil {
		found.Notes = append(found.Notes, "environment.image: "+err.Error())
	} else {
		box = own
	}
	dir, err := os.MkdirTemp(dir, "bobbin-")
	if err != nil {
		return
	}
	defer os.RemoveAll(dir)
	if os.Chmod(dir, 0o755) == nil && box.Own(dir) == nil {
		_ = (&environment.Tools{}).Look(ctx, found, box, dir) // what is not known is not said
	}
}

// takeEnvironment takes what the repository's files want of tools and services.
func (t *Trial) takeEnvironment(found *environment.Environment) {
	t.Services = []Service{}
	for _, s := range found.Services {
		t.Services = append(t.Services, Service{Name: s.Kind, Version: s.Version, From: s.From})
	}
	t.Versions = []Version{}
	for _, tool := range found.Tools {
		t.Versions = append(t.Versions, Version{
			Tool: tool.Name, Wants: tool.Wants, From: tool.From, Has: tool.Has, Path: tool.Path,
			Differs: tool.Differs,
		})
	}
	t.Image = found.Image
	t.Unused = append([]string{}, found.Notes...)
	t.packagesLine = found.PackagesLine()
}
