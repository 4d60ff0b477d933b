package postgres

import (
	"io"
	"log/slog"
	"net/url"
	"strconv"

	"github.com/bobbinhq/bobbin/repo/postgres/internal/account"
	"github.com/bobbinhq/bobbin/repo/postgres/internal/programs"
)

// The names that a cluster is created with.
const (
	userName = "bobbin"
	database = "bobbin"
	port     = 5432 // only part of the socket's name; the server does not listen on the network
)

// A Config says where a cluster is and how it runs.
type Config struct {
	// the cluster's folder, created if missing; required
	Dir string
	// default: no log
	Log *slog.Logger
	// where the progress of fetching the server's programs is shown; default: nowhere
	Progress io.Writer
	// the server has to be this program's: Start waits for the end of another
	// program's, instead of joining it
	Own bool
	// data survives a power failure (fsync); default: false, which is faster, for the demo and tests
	Durable bool
	// maximum number of connections; default 100
	Most int
	// for tests, whose hundreds of databases live for seconds: no autovacuum, which visits ten databases a
	// second, and no new plan for each of a statement's first runs
	Brief bool
	// where fetched programs are kept; default: the user's cache folder, for root /var/cache/bobbin
	CacheDir string

	// where to search for programs; default: this machine
	find *programs.Finder
	// how the server is tied to this program; default: the platform's way
	tie account.Tie
	// where root's cluster moves if the server's account cannot enter its folder; default: /var/lib/bobbin
	varLib string
}

func (c Config) withDefaults() Config {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Most == 0 {
		c.Most = 100
	}
	if c.varLib == "" {
		c.varLib = "/var/lib/bobbin"
	}
	return c
}

// An Unavailable says why no Postgres can run on this machine, and what to do about it.
type Unavailable = programs.Unavailable

// finder returns the Finder for the server's programs.
func (c Config) finder() programs.Finder {
	f := programs.ThisMachine()
	if c.find != nil {
		f = *c.find
	}
	f.CacheDir = c.CacheDir
	f.Progress = c.Progress
	return f
}

// databaseURL returns the address of one database of the server whose socket is in dir. It sets every
// parameter that a PG… environment variable could set otherwise.
func databaseURL(dir string, port int, database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(userName), Path: "/" + database}
	u.RawQuery = url.Values{
		"host": {dir}, "port": {strconv.Itoa(port)}, "sslmode": {"disable"},
		"options": {""}, "target_session_attrs": {"any"},
	}.Encode()
	return u.String()
}
