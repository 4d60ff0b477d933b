package repository

import (
	"context"

	"github.com/bobbinhq/bobbin/repo/host"
)

// Readers returns who may read the repository: as the configuration says or, if it does not, the git host. It
// is empty if neither does.
func (r Repository) Readers(ctx context.Context) (host.Visibility, error) {
	if r.Visibility != "" || r.Pulls.Host == nil {
		return r.Visibility, nil
	}
	return r.Pulls.Host.Visibility(ctx)
}
