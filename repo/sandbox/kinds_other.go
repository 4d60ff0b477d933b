//go:build !linux

package sandbox

import (
	"context"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
	"github.com/bobbinhq/bobbin/repo/sandbox/internal/unconfined"
)

// kinds lists the kinds of Linux, which are not available on this system, and the kind that confines nothing.
var kinds = []kind{
	{name: KindBubblewrap, auto: true, open: refuse},
	{name: KindNamespaces, auto: true, open: refuse},
	{name: KindGVisor, open: refuse},
	{name: KindDocker, open: refuse},
	{name: KindNone, open: func(context.Context, Config) (backend.Backend, error) { return unconfined.Open(), nil }},
}

func refuse(context.Context, Config) (backend.Backend, error) {
	return nil, &Unavailable{Why: "it needs Linux", Cure: "run Bobbin in a Linux machine or container, or set sandbox kind none to run commands unconfined"}
}

func (s *Sandbox) runProbes(context.Context) error { return nil }
