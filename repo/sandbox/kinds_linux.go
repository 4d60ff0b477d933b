package sandbox

import (
	"context"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/bubblewrap"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/docker"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/gvisor"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/namespaces"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/unconfined"
)

// kinds lists all kinds of sandbox. Each has its own package.
var kinds = []kind{
	{
		name: KindBubblewrap, auto: true,
		open: func(context.Context, Config) (backend.Backend, error) { return bubblewrap.Open() },
	},
	{
		name: KindNamespaces, auto: true,
		open: func(context.Context, Config) (backend.Backend, error) { return namespaces.Open(), nil },
	},
	{
		name: KindGVisor,
		open: func(ctx context.Context, c Config) (backend.Backend, error) { return gvisor.Open(ctx, c.Runsc) },
	},
	{
		name: KindDocker,
		open: func(ctx context.Context, c Config) (backend.Backend, error) {
			return docker.Open(ctx, docker.Config{Engine: c.Engine, Image: c.Image})
		},
	},
	{
		name: KindNone,
		open: func(context.Context, Config) (backend.Backend, error) { return unconfined.Open(), nil },
	},
}
