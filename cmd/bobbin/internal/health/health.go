// Package health reports whether the bot works, and which of its parts do not. The running bot reports the
// state of its parts to a Monitor, which answers over HTTP, at once even if the database hangs. Ask asks
// the Monitor of the bot on this machine.
package health

import (
	"cmp"
	"context"
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
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

// Health is the body of the responses of /healthz and /readyz. It names no repository, no person and no
// address, so that anyone who monitors the machine may see it.
type Health struct {
	State string    `json:"state"` // starting, ready, not ready, draining, ended
	Since time.Time `json:"since"`
	Wrong string    `json:"wrong,omitempty"` // what is wrong, in words
	Cure  string    `json:"cure,omitempty"`  // what to do about it, in words
	// ConfigurationRefused is when a changed configuration was read and refused because of a fault, which
	// is in the log; null: the newest configuration is in use.
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
		// Counts of all replicas, as the database had them when it last answered.
		AtWork  int `json:"sessions_at_work"`
		Waiting int `json:"sessions_waiting"`
		Outbox  int `json:"outbox"`
	} `json:"counts"`
}

// A Part is the state of one thing that the bot needs.
type Part struct {
	// starting, up, down, off (only the sandbox; the bot works without it), unknown
	State string    `json:"state"`
	Since time.Time `json:"since"`
	Wrong string    `json:"wrong,omitempty"`
	Cure  string    `json:"cure,omitempty"`
}

// The states of parts and of the whole bot.
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
	p.State = state
	p.Wrong = wrong
	p.Cure = cure
}

func stateSince(before, now string, at time.Time) time.Time {
	if before == now {
		return at
	}
	return time.Now().UTC()
}

const (
	pulseWithin = 2 * time.Second // how long the database has to answer
	pulseEvery  = 5 * time.Second // interval between checks without a request, so that `since` is about right
	pulseFresh  = time.Second     // requests within this time share one check
	readyEvery  = time.Second / 4 // interval at which WaitReady looks
	beatWithin  = 8 * time.Second // a replica without a heartbeat for so long is taken for dead by the others
)

// A Monitor keeps the health of the bot and serves it over HTTP.
type Monitor struct {
	server *http.Server // nil: no address is configured
	mux    *http.ServeMux
	Addr   string // where it listens; empty: nowhere

	mu       sync.Mutex
	looked   time.Time
	vitals   *Source // nil while the bot is being assembled
	waitsFor string  // what the start waits for; empty: nothing
	stopping bool
	fatal    error
	now      Health
}

// A Source holds what a Monitor checks.
type Source struct {
	Store      *store.Store
	Replica    string     // the id of this replica
	Links      func() int // returns the number of Slack connections that are up
	SandboxOff string     // why commands are off; empty: they are on
}

// NewMonitor returns a Monitor that listens on addr. If addr is empty, it serves nothing.
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
		err = fmt.Errorf("health cannot be served at %s: %w; name another host:port with http.addr or "+
			"BOBBIN_HTTP_ADDR, or leave both out", addr, cli.Errno(err))
		if errors.Is(err, syscall.EADDRINUSE) { // which may pass: a restart helps then
			return nil, err
		}
		return nil, cli.UsageError{Err: err}
	}
	mux := http.NewServeMux()
	m.mux = mux
	mux.HandleFunc("GET /healthz", m.handler(func(h Health) bool { return h.State != StateEnded }))
	mux.HandleFunc("GET /readyz", m.handler(func(h Health) bool { return h.State == StateReady }))
	m.server = &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 5 * time.Second,
		WriteTimeout:      10 * time.Second,
		IdleTimeout:       time.Minute,
	}
	go m.server.Serve(listener)
	m.Addr = listener.Addr().String()
	log.Info("health is served", "addr", m.Addr)
	return m, nil
}

func (m *Monitor) allParts() []*Part {
	p := &m.now.Parts
	return []*Part{&p.Sandbox, &p.Queue, &p.Slack, &p.Database}
}

// Handle serves h below path on the same address as health. It does nothing if health is not served.
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
		_ = cli.WriteJSON(w, h, "  ") // an error means that the client has gone
	}
}

// Watch checks the parts every pulseEvery until ctx ends; then the state becomes draining.
func (m *Monitor) Watch(ctx context.Context, b Source) {
	m.update(func() { m.vitals = &b })
	// Draining is reported at once, even while a check waits for the database.
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

// WaitFor notes what the start waits for, without an address.
func (m *Monitor) WaitFor(what string) { m.update(func() { m.waitsFor = what }) }

// WaitReady waits until the bot is ready, or ctx ends.
func (m *Monitor) WaitReady(ctx context.Context) error {
	tick := time.NewTicker(readyEvery)
	defer tick.Stop()
	for m.currentHealth(ctx).State != StateReady {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
	return nil
}

// RefuseConfiguration notes when a new configuration was refused.
func (m *Monitor) RefuseConfiguration(at time.Time) {
	m.update(func() { m.now.ConfigurationRefused = &at })
}

// End notes the error that ends the bot; the first one stays. Nil and context.Canceled are ignored.
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

// currentHealth checks the parts if the last check is older than pulseFresh, and returns the health. Only
// one check runs at a time, so that many requests do not all wait on a hanging database.
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
	p, err := view.ReadVitals(ctx, b.Store.DB, b.Replica)
	parts := &m.now.Parts
	counts := &m.now.Counts
	switch {
	case err != nil:
		parts.Database.set(StateDown, whyNoAnswer(err, b.Store.Pool.Stat()), "the bot goes on by itself "+
			"once Postgres answers; see that the server of DATABASE_URL runs and lets the bot in")
		parts.Queue.set(StateUnknown, "the queue is in the database, which does not answer", "")
	default:
		parts.Database.set(StateUp, "", "")
		counts.AtWork = p.Working
		counts.Waiting = p.Waiting
		counts.Outbox = p.Unposted
		parts.Queue.set(queueState(p))
	}
	counts.SlackLinks = b.Links()
	if counts.SlackLinks > 0 {
		parts.Slack.set(StateUp, "", "")
	} else {
		parts.Slack.set(StateDown, "no link to Slack is up", "the bot connects again by itself; "+
			"if this lasts, see that the machine reaches slack.com, and what the log says last")
	}
	if b.SandboxOff == "" {
		parts.Sandbox.set(StateUp, "", "")
	} else {
		parts.Sandbox.set(stateOff, "commands and checks are off: "+b.SandboxOff, "")
	}
}

// whyNoAnswer returns why the database did not answer, without its address.
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

func queueState(p view.Vitals) (state, wrong, cure string) {
	switch {
	case !p.Beats:
		return StateStarting, "this replica has not beaten yet", ""
	case p.Beat > beatWithin:
		return StateDown, fmt.Sprintf("this replica's last heartbeat is %s old: "+
				"others take its sessions over", p.Beat.Round(time.Second)),
			"see what the log says of the heartbeat; if nothing, start this replica again"
	}
	return StateUp, "", ""
}

// summarize sets the state of the whole bot from the states of its parts.
func (m *Monitor) summarize() {
	h := &m.now
	before := m.now.State
	h.Wrong, h.Cure = "", ""
	switch {
	case m.fatal != nil:
		h.State = StateEnded
		h.Wrong = "the bot is ending: " + m.fatal.Error()
		h.Cure = "fix that, then start the bot again; its sessions go on from where they are"
	case m.stopping:
		h.State = StateDraining
		h.Wrong = "the bot was told to stop: what is under way is handed over"
	case m.vitals == nil:
		h.State = StateStarting
		h.Wrong = "the bot is starting"
		if m.waitsFor != "" {
			h.Wrong += ": it waits for " + m.waitsFor
			h.Cure = "the bot goes on by itself once it is there; its log has the reason"
		}
	default:
		h.State = StateReady
		for _, p := range m.allParts() {
			if p.State != StateUp && p.State != stateOff {
				h.State = StateNotReady
				h.Wrong = p.Wrong
				h.Cure = p.Cure
			}
		}
	}
	h.Since = stateSince(before, h.State, h.Since)
}
