package metrics

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Shared is what the database knows of all replicas together.
type Shared struct {
	Sessions map[string]int           // by phase
	Waits    map[string]time.Duration // of the job that is due the longest, by kind
	Due      map[string]int           // jobs that are due and not begun, by kind
	Unposted int                      // lines and other things that have still to happen in Slack
}

// Serve serves the metrics at /metrics, by handle, with what read finds.
func (m *Metrics) Serve(handle func(path string, h http.Handler), read func(context.Context) (Shared, error), log *slog.Logger) {
	if m == nil {
		return
	}
	m.ReadShared(read, log)
	handle("GET /metrics", m.Handler())
}

// ReadShared adds what read finds to each scrape, at most once in sharedFresh. While the
// database gives no answer, bobbin_database_up is 0 and the rest of it is left out.
func (m *Metrics) ReadShared(read func(context.Context) (Shared, error), log *slog.Logger) {
	m.registry.MustRegister(&sharedCollector{read: read, log: log})
}

const (
	sharedFresh  = 5 * time.Second
	sharedWithin = 3 * time.Second // to answer; a scrape waits ten
)

var (
	sessionsDesc = prometheus.NewDesc("bobbin_sessions", "Sessions by phase, of all replicas.", []string{"phase"}, nil)
	waitsDesc    = prometheus.NewDesc("bobbin_queue_wait_seconds", "How long the oldest job that is due has waited, by kind, of all replicas.", []string{"kind"}, nil)
	dueDesc      = prometheus.NewDesc("bobbin_queue_due", "Jobs that are due and not begun, by kind, of all replicas.", []string{"kind"}, nil)
	unpostedDesc = prometheus.NewDesc("bobbin_outbox_unposted", "What has still to happen in Slack, of all replicas.", nil, nil)
	upDesc       = prometheus.NewDesc("bobbin_database_up", "1 where the database answered, else 0.", nil, nil)
)

// A sharedCollector reads Shared at a scrape.
type sharedCollector struct {
	read func(context.Context) (Shared, error)
	log  *slog.Logger

	mu    sync.Mutex
	at    time.Time
	known Shared
	err   error
}

// Describe implements prometheus.Collector.
func (c *sharedCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{sessionsDesc, waitsDesc, dueDesc, unpostedDesc, upDesc} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (c *sharedCollector) Collect(out chan<- prometheus.Metric) {
	shared, err := c.current()
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

func (c *sharedCollector) current() (Shared, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.at.IsZero() && time.Since(c.at) < sharedFresh {
		return c.known, c.err
	}
	ctx, cancel := context.WithTimeout(context.Background(), sharedWithin)
	defer cancel()
	c.known, c.err = c.read(ctx)
	c.at = time.Now()
	if c.err != nil {
		c.log.Warn("metrics: the database gives no answer", "err", c.err)
	}
	return c.known, c.err
}
