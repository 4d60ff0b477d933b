package sandbox

import (
	"context"

	"github.com/bobbinhq/bobbin/repo/sandbox/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/bridge"
	"github.com/bobbinhq/bobbin/repo/sandbox/bubblewrap"
	"github.com/bobbinhq/bobbin/repo/sandbox/docker"
	"github.com/bobbinhq/bobbin/repo/sandbox/gvisor"
	"github.com/bobbinhq/bobbin/repo/sandbox/namespaces"
	"github.com/bobbinhq/bobbin/repo/sandbox/probe"
	"github.com/bobbinhq/bobbin/repo/sandbox/unconfined"
)

// kinds are all kinds of sandbox: a package each, and an entry here.
var kinds = []kind{
	{
		name: KindBubblewrap, auto: true, main: bubblewrap.Main,
		open: func(context.Context, Config) (backend.Backend, error) { return bubblewrap.Open() },
	},
	{
		name: KindNamespaces, auto: true, main: namespaces.Main,
		open: func(context.Context, Config) (backend.Backend, error) { return namespaces.Open(), nil },
	},
	{
		name: KindGVisor, main: gvisor.Main,
		open: func(ctx context.Context, c Config) (backend.Backend, error) { return gvisor.Open(ctx, c.Runsc) },
	},
	{
		name: KindDocker, main: docker.Main,
		open: func(ctx context.Context, c Config) (backend.Backend, error) {
			return docker.Open(ctx, docker.Config{Engine: c.Engine, Image: c.Image})
		},
	},
	{
		name: KindNone, main: func() {},
		open: func(context.Context, Config) (backend.Backend, error) { return unconfined.Open(), nil },
	},
}

// Main has to be the first call of every main and TestMain. When this process was executed
// to be the first one inside a sandbox, or on the way there, it becomes that and never
// returns; otherwise it does nothing.
func Main() {
	bridge.Main()
	probe.Main()
	for _, k := range kinds {
		k.main()
	}
}
