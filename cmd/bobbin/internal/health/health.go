// Package health reports whether the bot works, and which of its parts do not. The running bot
// tells a Monitor how its parts are. The Monitor answers over HTTP, at once even if the database
// hangs. Ask asks the Monitor of the bot on this machine.
package health

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/cli"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/overview"
)

// Health is what /healthz and /readyz answer. It names no repository, no person and no
// address, so that whoever watches machines may see it.
type Health struct {
	State string    `json:"state"` // starting, ready, not ready, draining, ended
	Since time.Time `json:"since"`
	Wrong string    `json:"wrong,omitempty"` // in words
	Cure  string    `json:"cure,omitempty"`  // likewise
	// ConfigurationRefused is when a configuration that changed was read and not taken over, since
	// it has a fault, which the log says; null: the newest is at work.
	ConfigurationRefused *time.Time `json:"configuration_refused_at,omitempty"`

	Parts struct {
		Database Part `json:"database"`
		Slack    Part `json:"slack"`
		Queue    Part `json:"queue"`
		Sandbox  Part `json:"sandbox"`
	} `json:"parts"`
	Counts struct {
		Goroutines int `json:"goroutines"`
		SlackLinks int `json:"slack_links"`
		// Of all replicas, as the database had them when it last answered.
		AtWork  int `json:"sessions_at_work"`
		Waiting int `json:"sessions_waiting"`
		Outbox  int `json:"outbox"`
	} `json:"counts"`
}

// A Part is one thing that the bot needs.
type Part struct {
	State string    `json:"state"` // starting, up, down, off (the sandbox only: the bot works without), unknown
	Since time.Time `json:"since"`
	Wrong string    `json:"wrong,omitempty"`
	Cure  string    `json:"cure,omitempty"`
}

// The states of parts and of the whole.
const (
	StateStarting = "starting"
	StateUp       = "up"
	StateDown     = "down"
	stateOff      = "off"
	StateUnknown  = "unknown"
	StateReady    = "ready"
	StateNotReady = "not ready"
	StateDraining = "draining"
	StateEnded    = "ended"
)

func (p *Part) set(state, wrong, cure string) {
	p.Since = stateSince(p.State, state, p.Since)
	p.State, p.Wrong, p.Cure = state, wrong, cure
}

func stateSince(before, now string, at time.Time) time.Time {
	if before == now {
		return at
	}
	return time.Now().UTC()
}

const (
	pulseWithin = 2 * time.Second // how long the database has to answer
	pulseEvery  = 5 * time.Second // looks between those that are asked for, so that `since` is about right
	pulseFresh  = time.Second     // a look serves all who ask meanwhile
	beatWithin  = 8 * time.Second // after which the other replicas take a silent one for dead
)

// A Monitor knows how the bot is, and serves it over HTTP.
type Monitor struct {
	server *http.Server // nil: nobody asked for it
	mux    *http.ServeMux
	Addr   string // where it listens

	mu       sync.Mutex
	looked   time.Time
	vitals   *Source // nil while the bot is put together
	stopping bool
	fatal    error
	now      Health
}

// Source are what a monitor looks at.
type Source struct {
	Store      *store.Store
	Replica    string     // the id of this one
	Links      func() int // connections to Slack that are up
	SandboxOff string     // why commands are off; empty: they are not
}

// NewMonitor listens on addr; on none it is kept for nobody.
func NewMonitor(addr string, log *slog.Logger) (*Monitor, error) {
	m := &Monitor{}
	for _, p := range m.allParts() {
		p.set(StateStarting, "", "")
	}
	m.summarize()
	if addr == "" {
		return m, nil
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, cli.UsageError{Err: fmt.Errorf("http.addr %q: %v; name another host:port, or leave it out", addr, cli.Errno(err))}
	}
	mux := http.NewServeMux()
	m.mux = mux
	mux.HandleFunc("GET /healthz", m.handler(func(h Health) bool { return h.State != StateEnded }))
	mux.HandleFunc("GET /readyz", m.handler(func(h Health) bool { return h.State == StateReady }))
	m.server = &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	go m.server.Serve(listener)
	m.Addr = listener.Addr().String()
	log.Info("health is served", "addr", m.Addr)
	return m, nil
}

func (m *Monitor) allParts() []*Part {
	p := &m.now.Parts
	return []*Part{&p.Sandbox, &p.Queue, &p.Slack, &p.Database}
}

// Handle serves something else beside health, below a path.
func (m *Monitor) Handle(path string, h http.Handler) {
	if m.mux != nil {
		m.mux.Handle(path, h)
	}
}

func (m *Monitor) Close() {
	if m.server != nil {
		m.server.Close()
	}
}

func (m *Monitor) handler(good func(Health) bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := m.currentHealth(r.Context())
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		if !good(h) {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		_ = out.Encode(h) // whoever asked has gone
	}
}

// Watch looks now and then, until ctx ends: from then on the bot drains.
func (m *Monitor) Watch(ctx context.Context, b Source) {
	m.update(func() { m.vitals = &b })
	// At once, whatever a look is waiting for.
	defer context.AfterFunc(ctx, m.startDraining)()
	tick := time.NewTicker(pulseEvery)
	defer tick.Stop()
	for {
		m.currentHealth(ctx)
		select {
		case <-ctx.Done():
			m.startDraining()
			return
		case <-tick.C:
		}
	}
}

func (m *Monitor) startDraining() { m.update(func() { m.stopping = true }) }

// RefuseConfiguration notes that a configuration was not taken over.
func (m *Monitor) RefuseConfiguration(at time.Time) {
	m.update(func() { m.now.ConfigurationRefused = &at })
}

// End notes what no waiting mends.
func (m *Monitor) End(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		m.update(func() { m.fatal = cmp.Or(m.fatal, err) })
	}
}

func (m *Monitor) update(do func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	do()
	m.looked = time.Time{}
	m.summarize()
}

// currentHealth brings what is known up to date. One look at a time: a database that hangs is not
// asked by everybody who wants to know.
func (m *Monitor) currentHealth(ctx context.Context) Health {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b := m.vitals; b != nil && time.Since(m.looked) > pulseFresh {
		m.lookAtParts(ctx, *b)
		m.looked = time.Now()
	}
	m.summarize()
	m.now.Counts.Goroutines = runtime.NumGoroutine()
	return m.now
}

func (m *Monitor) lookAtParts(ctx context.Context, b Source) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pulseWithin)
	defer cancel()
	p, err := overview.ReadVitals(ctx, b.Store.DB, b.Replica)
	parts, counts := &m.now.Parts, &m.now.Counts
	switch {
	case err != nil:
		parts.Database.set(StateDown, whyNoAnswer(err, b.Store.Pool.Stat()), "the bot goes on by itself once Postgres answers; see that the server of DATABASE_URL runs and lets the bot in")
		parts.Queue.set(StateUnknown, "the queue is in the database, which does not answer", "")
	default:
		parts.Database.set(StateUp, "", "")
		counts.AtWork, counts.Waiting, counts.Outbox = p.Working, p.Waiting, p.Unposted
		parts.Queue.set(queueState(p))
	}
	counts.SlackLinks = b.Links()
	if counts.SlackLinks > 0 {
		parts.Slack.set(StateUp, "", "")
	} else {
		parts.Slack.set(StateDown, "no link to Slack is up", "the bot connects again by itself; if this lasts, see that the machine reaches slack.com, and what the log says last")
	}
	if b.SandboxOff == "" {
		parts.Sandbox.set(StateUp, "", "")
	} else {
		parts.Sandbox.set(stateOff, "commands and checks are off: "+b.SandboxOff, "")
	}
}

// whyNoAnswer says why the database gave no answer, without its address.
func whyNoAnswer(err error, s *pgxpool.Stat) string {
	var refused *pgconn.PgError
	var errno syscall.Errno
	switch {
	case errors.As(err, &refused):
		return "the database refuses: " + plaintext.OneLine(refused.Message)
	case errors.Is(err, context.DeadlineExceeded) && s.AcquiredConns() >= s.MaxConns():
		return fmt.Sprintf("all %d connections to the database are in use", s.MaxConns())
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Sprintf("the database does not answer within %s", pulseWithin)
	case errors.As(err, &errno):
		return "the database does not answer: " + errno.Error()
	}
	return "the database does not answer"
}

func queueState(p overview.Vitals) (state, wrong, cure string) {
	switch {
	case !p.Beats:
		return StateStarting, "this replica has not beaten yet", ""
	case p.Beat > beatWithin:
		return StateDown, fmt.Sprintf("this replica's last heartbeat is %s old: others take its sessions over", p.Beat.Round(time.Second)),
			"see what the log says of the heartbeat; if nothing, start this replica again"
	}
	return StateUp, "", ""
}

// summarize makes of the parts what the whole is.
func (m *Monitor) summarize() {
	h, before := &m.now, m.now.State
	h.Wrong, h.Cure = "", ""
	switch {
	case m.fatal != nil:
		h.State, h.Wrong = StateEnded, "the bot is ending: "+m.fatal.Error()
		h.Cure = "mend that, then start the bot again; its sessions go on from where they are"
	case m.stopping:
		h.State, h.Wrong = StateDraining, "the bot was told to stop: what is under way is handed over"
	case m.vitals == nil:
		h.State, h.Wrong = StateStarting, "the bot is starting"
	default:
		h.State = StateReady
		for _, p := range m.allParts() {
			if p.State != StateUp && p.State != stateOff {
				h.State, h.Wrong, h.Cure = StateNotReady, p.Wrong, p.Cure
			}
		}
	}
	h.Since = stateSince(before, h.State, h.Since)
}
