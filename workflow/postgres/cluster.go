package postgres

import (
	"io"
	"log/slog"
	"net/url"
	"strconv"

	"github.com/bobbinhq/bobbin/workflow/postgres/account"
	"github.com/bobbinhq/bobbin/workflow/postgres/programs"
)

// The names that a cluster of ours is made with.
const (
	userName = "bobbin"
	database = "bobbin"
	port     = 5432 // of the socket's name; nothing listens on the network
)

// Config says where a cluster is and how careful it is with what it is given.
type Config struct {
	Dir      string       // the cluster's folder; made when missing; has to be given
	Log      *slog.Logger // default: nowhere
	Progress io.Writer    // where a fetch of the server's programs is shown; default: nowhere
	Durable  bool         // survives a loss of power (fsync); default: it does not, which is quicker: demo and tests
	Most     int          // connections at once; default 100
	NoVacuum bool         // no autovacuum: for tests, since of hundreds of databases that live seconds it visits ten a second
	CacheDir string       // where fetched programs are kept; default: the user's cache folder, for root /var/cache/bobbin

	find   *programs.Finder // what to search; default: this machine
	tie    account.Tie      // how the server is tied to this program; default: the platform's way
	varLib string           // where root's cluster moves to when its folder cannot be entered; default: /var/lib/bobbin
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

// Unavailable says why there can be no Postgres here, and what to do about it.
type Unavailable = programs.Unavailable

// finder looks for the server's programs.
func (c Config) finder() programs.Finder {
	f := programs.ThisMachine()
	if c.find != nil {
		f = *c.find
	}
	f.CacheDir, f.Progress = c.CacheDir, c.Progress
	return f
}

// databaseURL makes the address of one database behind the socket in dir. It says what a PG…
// variable of somebody's environment would otherwise say.
func databaseURL(dir string, port int, database string) string {
	u := url.URL{Scheme: "postgres", User: url.User(userName), Path: "/" + database}
	u.RawQuery = url.Values{
		"host": {dir}, "port": {strconv.Itoa(port)}, "sslmode": {"disable"},
		"options": {""}, "target_session_attrs": {"any"},
	}.Encode()
	return u.String()
}
