package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/bobbinhq/bobbin/repo/filelock"
	"github.com/bobbinhq/bobbin/workflow/postgres/programs"
)

// How long things may take, and how often they are looked at.
const (
	pause     = 20 * time.Millisecond
	patience  = time.Minute      // for the server of another program to answer
	stopQuick = 10 * time.Second // for a fast shutdown; then an immediate one
)

// A Cluster is a Postgres that answers.
type Cluster struct {
	socket string  // folder of the unix socket
	port   int     // part of the socket's name
	owner  int     // pid of the program that runs it
	server *server // nil when another program runs it
	lock   *filelock.Lock
	stop   sync.Once
}

// Start brings the cluster in cfg.Dir up, or joins the live program that runs it already.
// ctx bounds the start alone: the server lives until Stop, or until the program ends.
func Start(ctx context.Context, cfg Config) (*Cluster, error) {
	cfg = cfg.withDefaults()
	if cfg.Dir == "" {
		return nil, errors.New("cluster: no folder was given")
	}
	h, err := settle(cfg.Dir, cfg.varLib)
	if err != nil {
		return nil, err
	}
	deadline := time.Now().Add(patience)
	for {
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
		if err := pauseOnce(ctx, deadline); err != nil {
			return nil, fmt.Errorf("cluster: %s is held by process %d, and its Postgres does not answer: stop that process, or choose another folder: %w", h.dir, h.holder(), err)
		}
	}
}

// run starts the server as the one who holds the lock.
func run(ctx context.Context, cfg Config, h home, lock *filelock.Lock) (*Cluster, error) {
	c, err := runLocked(ctx, cfg, h)
	if err != nil {
		lock.Release()
		return nil, err
	}
	c.lock, c.owner = lock, os.Getpid()
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
	cfg.Log.Info("postgres started", "dir", h.data, "version", bin.Version, "programs", bin.Dir, "account", h.as.Name, "took", time.Since(began).Round(time.Millisecond))
	return c, nil
}

// launch starts the server, again while processes of one that was killed still hold its
// memory: they notice, and end by themselves.
func launch(ctx context.Context, cfg Config, h home, bin programs.Programs) (*Cluster, error) {
	deadline := time.Now().Add(stopQuick)
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

// awaitReady waits until the server lets us in, and makes our database at the first start.
// While it says that it is starting (it repairs itself after a crash) it has all the time
// that ctx gives.
func (c *Cluster) awaitReady(ctx context.Context) error {
	deadline := time.Now().Add(patience)
	for {
		err := ensureDatabase(ctx, c.Database("postgres"))
		switch judgeAnswer(err) {
		case wasDone:
			return nil
		case wasRefused:
			return fmt.Errorf("cluster: Postgres started and refused us: %w", err)
		case isStarting:
			deadline = time.Now().Add(patience)
		}
		select {
		case <-c.server.done:
			return c.server.died()
		default:
		}
		if late := pauseOnce(ctx, deadline); late != nil {
			return fmt.Errorf("cluster: Postgres does not answer: %w (%v)", late, err)
		}
	}
}

// join uses the server of the program that holds the lock; nil while it does not answer.
func join(ctx context.Context, cfg Config, h home) *Cluster {
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

// URL is where to connect to: a postgres:// address of a database of our own, over the
// unix socket.
func (c *Cluster) URL() string { return c.Database(database) }

// Database is the address of another database of this cluster.
func (c *Cluster) Database(name string) string { return databaseURL(c.socket, c.port, name) }

// Owner is the pid of the program that runs the server: this one, or another that was
// there before.
func (c *Cluster) Owner() int { return c.owner }

// Done is closed when the server that this program started has ended, by Stop or by
// itself. It is nil when another program runs it.
func (c *Cluster) Done() <-chan struct{} {
	if c.server == nil {
		return nil
	}
	return c.server.done
}

// Stop ends the server, fast but clean, and lets go of the folder. It does nothing to the
// server of another program, nor the second time.
func (c *Cluster) Stop() {
	c.stop.Do(func() {
		if c.server != nil {
			c.server.stop()
		}
		c.lock.Release()
	})
}

// pauseOnce pauses once, unless time is up.
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
