//go:build !unix

package postgres

import (
	"context"
	"runtime"
)

// A Cluster is a Postgres that answers. There is none on this platform.
type Cluster struct{}

type tie int

// Start says that a private Postgres needs a Unix.
func Start(context.Context, Config) (*Cluster, error) {
	return nil, &Unavailable{
		Why:  "a private Postgres is not supported on " + runtime.GOOS,
		Cure: "set DATABASE_URL to a running Postgres",
	}
}

// A Sight is what Start would find: nothing, on this platform.
type Sight struct {
	Version, Dir, Account string
	Made                  int
	Data                  string
	Owner                 int
}

// Look says that a private Postgres needs a Unix.
func Look(ctx context.Context, cfg Config) (Sight, error) {
	_, err := Start(ctx, cfg)
	return Sight{}, err
}

// URL is where to connect to: nowhere.
func (*Cluster) URL() string { return "" }

// Database is the address of another database: nowhere.
func (*Cluster) Database(string) string { return "" }

// Done is never closed.
func (*Cluster) Done() <-chan struct{} { return nil }

// Owner is the pid of the program that runs the server: none.
func (*Cluster) Owner() int { return 0 }

// Stop does nothing.
func (*Cluster) Stop() {}
