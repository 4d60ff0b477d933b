package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/postgres/internal/programs"
)

// The time limits, and the interval of polling.
const (
	pause = 20 * time.Millisecond
	// for the server to answer, and for the processes and the program of an earlier one to end
	patience  = time.Minute
	stopQuick = 10 * time.Second // for a fast shutdown, before an immediate one
)

// A Cluster is a running Postgres server, which this or another program runs.
type Cluster struct {
	socket string  // folder of the unix socket
	port   int     // part of the socket's name
	owner  int     // pid of the program that runs the server
	server *server // nil if another program runs it
	lock   *disk.Lock
	stop   sync.Once
}

// Start starts the cluster in cfg.Dir, or joins the live program that runs it already, unless cfg.Own is
// set. ctx limits only the start: the server lives until Stop, or until the program ends.
func Start(ctx context.Context, cfg Config) (*Cluster, error) {
	cfg = cfg.withDefaults()
	if cfg.Dir == "" {
		return nil, errors.New("postgres: no folder was given")
	}
	h, err := settle(cfg.Dir)
	if err != nil {
		return nil, err
	}
	if c := joinHeld(ctx, cfg, h); c != nil {
		// only a program that starts a server needs a folder that the server can reach
		return c, nil
	}
	if h, err = h.reachable(cfg); err != nil {
		return nil, err
	}
	deadline := time.Now().Add(patience)
	for told := false; ; told = true {
		lock, err := h.tryLock()
		if err != nil {
			return nil, err
		}
		if lock != nil {
			return run(ctx, cfg, h, lock)
		}
		if c := join(ctx, cfg, h); c != nil {
			return c, nil
		}
		if cfg.Own && !told {
			cfg.Log.Warn("another program runs postgres here; waiting for its end", "dir", h.data,
				"pid", h.holder())
		}
		if err := pauseOnce(ctx, deadline); err != nil {
			return nil, h.describeHolder(cfg.Own, err)
		}
	}
}

// describeHolder returns the error of a Start that waited in vain for the program that holds the lock.
func (h home) describeHolder(own bool, err error) error {
	if own {
		return fmt.Errorf("postgres: process %d uses the Postgres in %s, and would take it away at its end: "+
			"end that process, and start again: %w", h.holder(), h.dir, err)
	}
	return fmt.Errorf("postgres: %s is held by process %d, and its Postgres does not answer: "+
		"stop that process, or choose another folder: %w", h.dir, h.holder(), err)
}

// run starts the server. The caller holds the lock, and run releases it if it fails.
func run(ctx context.Context, cfg Config, h home, lock *disk.Lock) (*Cluster, error) {
	c, err := runLocked(ctx, cfg, h)
	if err != nil {
		lock.Release()
		return nil, err
	}
	c.lock = lock
	c.owner = os.Getpid()
	return c, nil
}

func runLocked(ctx context.Context, cfg Config, h home) (*Cluster, error) {
	if err := h.clearLeftovers(ctx, cfg.Log); err != nil {
		return nil, err
	}
	bin, err := cfg.finder().Find(ctx, h.need())
	if err != nil {
		return nil, err
	}
	began := time.Now()
	if err := h.initialise(ctx, bin, cfg); err != nil {
		return nil, err
	}
	c, err := launch(ctx, cfg, h, bin)
	if err != nil {
		return nil, err
	}
	cfg.Log.Info("postgres started", "dir", h.data, "version", bin.Version, "programs", bin.Dir,
		"account", h.as.Name, "took", time.Since(began).Round(time.Millisecond))
	return c, nil
}

// launch starts the server. It tries again while processes of a killed server still hold its shared memory:
// they notice the death and end by themselves.
func launch(ctx context.Context, cfg Config, h home, bin programs.Programs) (*Cluster, error) {
	deadline := time.Now().Add(patience)
	for {
		socket, err := h.makeSocketDir()
		if err != nil {
			return nil, err
		}
		s, err := startServer(h, bin, socket, cfg)
		if err != nil {
			return nil, err
		}
		c := &Cluster{socket: socket, port: port, server: s}
		if err = c.awaitReady(ctx); err == nil {
			return c, nil
		}
		c.Stop()
		if !errors.Is(err, errMemoryHeld) || pauseOnce(ctx, deadline) != nil {
			return nil, err
		}
	}
}

// awaitReady waits until the server accepts a connection, and creates the database at the first start.
// While the server says that it is starting (recovering after a crash), only ctx limits the wait.
func (c *Cluster) awaitReady(ctx context.Context) error {
	deadline := time.Now().Add(patience)
	for {
		err := ensureDatabase(ctx, c.Database("postgres"))
		switch judgeAnswer(err) {
		case wasDone:
			return nil
		case wasRefused:
			return fmt.Errorf("postgres: the server started and refused us: %w", err)
		case isStarting:
			deadline = time.Now().Add(patience)
		}
		select {
		case <-c.server.done:
			return c.server.died()
		default:
		}
		if late := pauseOnce(ctx, deadline); late != nil {
			return fmt.Errorf("postgres: the server does not answer: %w (%v)", late, err)
		}
	}
}

// joinHeld is join, if a live program holds the lock.
func joinHeld(ctx context.Context, cfg Config, h home) *Cluster {
	if lock, err := h.tryLock(); err != nil || lock != nil {
		lock.Release()
		return nil
	}
	return join(ctx, cfg, h)
}

// join returns a Cluster for the server of the program that holds the lock, or nil if it does not answer
// yet, or if the server has to be this program's.
func join(ctx context.Context, cfg Config, h home) *Cluster {
	if cfg.Own {
		return nil
	}
	p, err := readPIDFile(h.data)
	if err != nil || p.socket == "" {
		return nil
	}
	c := &Cluster{socket: p.socket, port: p.port, owner: h.holder()}
	if ping(ctx, c.URL()) != nil {
		return nil
	}
	cfg.Log.Info("postgres is run by another program", "dir", h.data, "pid", c.owner)
	return c
}

// URL returns the postgres:// address of the database "bobbin", over the Unix socket.
func (c *Cluster) URL() string { return c.Database(database) }

// Database returns the address of another database of this cluster.
func (c *Cluster) Database(name string) string { return databaseURL(c.socket, c.port, name) }

// Done returns a channel that is closed when the server that this program started has ended, by Stop or by
// itself. It is nil if another program runs the server.
func (c *Cluster) Done() <-chan struct{} {
	if c.server == nil {
		return nil
	}
	return c.server.done
}

// Stop ends the server with a fast, clean shutdown and releases the lock. It does not stop the server of
// another program. A second call does nothing.
func (c *Cluster) Stop() {
	c.stop.Do(func() {
		if c.server != nil {
			c.server.stop()
		}
		c.lock.Release()
	})
}

// pauseOnce sleeps for one polling interval. It returns an error if the deadline has passed or ctx ends.
func pauseOnce(ctx context.Context, deadline time.Time) error {
	if time.Now().After(deadline) {
		return context.DeadlineExceeded
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(pause):
		return nil
	}
}
