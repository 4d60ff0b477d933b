package metrics

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Shared is the state of all replicas together, as the database has it.
type Shared struct {
	// number by phase
	Sessions map[string]int
	// how long the oldest due job, or session without a place at work, has waited, by kind of job
	Waits map[string]time.Duration
	// number of jobs that are due and have not begun, by kind
	Due map[string]int
	// outbox rows (lines and others) that are not in Slack yet
	Unposted int
}

// Serve registers the metrics at GET /metrics with handle,
// including what read returns. It does nothing on a nil *Metrics.
func (m *Metrics) Serve(
	handle func(path string, h http.Handler), read func(context.Context) (Shared, error), log *slog.Logger,
) {
	if m == nil {
		return
	}
	m.ReadShared(read, log)
	handle("GET /metrics", m.Handler())
}

// ReadShared adds what read returns to each scrape; read is called at most once per sharedMaxAge. While
// the database does not answer, bobbin_database_up is 0 and the other shared metrics are left out.
func (m *Metrics) ReadShared(read func(context.Context) (Shared, error), log *slog.Logger) {
	m.registry.MustRegister(&sharedCollector{read: read, log: log})
}

const (
	sharedMaxAge  = 5 * time.Second
	sharedTimeout = 3 * time.Second // timeout of one read; Prometheus waits ten seconds for a scrape
)

var (
	sessionsDesc = prometheus.NewDesc("bobbin_sessions", "Sessions by phase, of all replicas.",
		[]string{"phase"}, nil)
	waitsDesc = prometheus.NewDesc("bobbin_queue_wait_seconds",
		"How long the oldest job that is due, or has no place at work, has waited, by kind, of all replicas.",
		[]string{"kind"}, nil)
	dueDesc = prometheus.NewDesc("bobbin_queue_due",
		"Jobs that are due and not begun, by kind, of all replicas.", []string{"kind"}, nil)
	unpostedDesc = prometheus.NewDesc("bobbin_outbox_unposted",
		"What has still to happen in Slack, of all replicas.", nil, nil)
	upDesc = prometheus.NewDesc("bobbin_database_up",
		"1 where the database answered, else 0.", nil, nil)
)

// A sharedCollector is a prometheus.Collector that reads Shared at a scrape.
type sharedCollector struct {
	read func(context.Context) (Shared, error)
	log  *slog.Logger

	mu    sync.Mutex
	at    time.Time
	known Shared
	err   error
}

// Describe implements prometheus.Collector.
func (s *sharedCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{sessionsDesc, waitsDesc, dueDesc, unpostedDesc, upDesc} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (s *sharedCollector) Collect(out chan<- prometheus.Metric) {
	shared, err := s.current()
	gauge := func(d *prometheus.Desc, v float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, v, labels...)
	}
	if err != nil {
		gauge(upDesc, 0)
		return
	}
	gauge(upDesc, 1)
	gauge(unpostedDesc, float64(shared.Unposted))
	for phase, n := range shared.Sessions {
		gauge(sessionsDesc, float64(n), phase)
	}
	for kind, wait := range shared.Waits {
		gauge(waitsDesc, wait.Seconds(), kind)
	}
	for kind, n := range shared.Due {
		gauge(dueDesc, float64(n), kind)
	}
}

func (s *sharedCollector) current() (Shared, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.at.IsZero() && time.Since(s.at) < sharedMaxAge {
		return s.known, s.err
	}
	ctx, cancel := context.WithTimeout(context.Background(), sharedTimeout)
	defer cancel()
	s.known, s.err = s.read(ctx)
	s.at = time.Now()
	if s.err != nil {
		s.log.Warn("metrics: the database gives no answer", "err", s.err)
	}
	return s.known, s.err
}
