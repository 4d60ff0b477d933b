// Package metrics counts what one replica does, for Prometheus: jobs, requests to models and to
// Slack, tool calls, tokens and money, sandbox commands and proofs. At each scrape it also reads from
// the database the state that all replicas share: sessions by phase and how long jobs have waited.
//
// No label holds text from people, models or code, or the id of a session or a person. Labels
// are names from the configuration and from the program, so their number is bounded. A nil
// *Metrics counts nothing: all methods except Handler and ReadShared may be called on it.
package metrics

import (
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/bobbinhq/bobbin/workflow/model"
)

// Metrics holds the counters and histograms of one replica.
type Metrics struct {
	registry *prometheus.Registry

	jobs     *prometheus.HistogramVec
	requests *prometheus.HistogramVec
	asked    *prometheus.HistogramVec
	tools    *prometheus.HistogramVec
	tokens   *prometheus.CounterVec
	usd      *prometheus.CounterVec
	commands *prometheus.CounterVec
	proofs   *prometheus.HistogramVec
}

// The histogram buckets, in seconds: short for requests, which
// take moments, and long for work that takes up to an hour.
var (
	short = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
	long  = []float64{.1, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600}
)

// New returns the metrics of a replica, together with those of the Go runtime and of the process.
func New() *Metrics {
	histogram := func(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(
			prometheus.HistogramOpts{Namespace: "bobbin", Name: name, Help: help, Buckets: buckets}, labels,
		)
	}
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: "bobbin", Name: name, Help: help},
			labels)
	}
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		jobs: histogram("job_duration_seconds",
			"Jobs of the queue by kind (turn: agents at work; post, react: what is sent to Slack; due) "+
				"and outcome (ok, error, cancelled).", long, "kind", "outcome"),
		requests: histogram("http_request_duration_seconds",
			"Requests to Slack and to models until the first byte of the answer, by service, "+
				"method and status (an HTTP status code, or error).", short, "service", "method", "status"),
		asked: histogram("model_answer_duration_seconds", "Answers of models, whole and with all tries, "+
			"by agent and outcome (ok, error, cancelled).", long, "agent", "outcome"),
		tools: histogram("tool_duration_seconds", "Calls of tools by agents, by tool and outcome (ok, "+
			"failed: a command or check that failed, refused: the call was wrong, error).", long, "tool",
			"outcome"),
		tokens: counter("model_tokens_total", "Tokens of answers that were kept, by agent, repository "+
			"and kind (input: read and not from a cache, cached, output).", "agent", "repository", "kind"),
		usd: counter("model_cost_usd_total",
			"Money that answers cost by the configured prices, in US dollars.", "agent", "repository"),
		commands: counter("sandbox_commands_total",
			"Commands that ended in the sandbox, by end (ok, exit: a status other than 0, "+
				"or the limit that killed it: time, memory, output, processes, disk, files, killed).", "end"),
		proofs: histogram("proof_duration_seconds", "Proofs of changes, "+
			"by repository and outcome (holds, fails, did not start).", long, "repository", "outcome"),
	}
	m.registry.MustRegister(m.jobs, m.requests, m.asked, m.tools, m.tokens, m.usd, m.commands, m.proofs,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Handler serves the metrics in Prometheus' text format, or in OpenMetrics if the client asks for it.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorHandling:     promhttp.ContinueOnError,
		EnableOpenMetrics: true,
	})
}

// Job records the duration and the outcome of a job that ended.
func (m *Metrics) Job(kind string, took time.Duration, err error) {
	if m != nil {
		m.jobs.WithLabelValues(kind, outcomeOf(err)).Observe(took.Seconds())
	}
}

// Asked records how long a model took to answer, with all retries, and how that ended.
func (m *Metrics) Asked(agent string, took time.Duration, err error) {
	if m != nil {
		m.asked.WithLabelValues(agent, outcomeOf(err)).Observe(took.Seconds())
	}
}

// Tool records the duration and the outcome of a tool call.
func (m *Metrics) Tool(name string, took time.Duration, r model.Result, err error) {
	if m != nil {
		m.tools.WithLabelValues(name, OutcomeOf(r, err)).Observe(took.Seconds())
	}
}

// OutcomeOf returns how a tool call ended: ok, failed, refused, cancelled or error.
func OutcomeOf(r model.Result, err error) string {
	switch {
	case err != nil:
		return outcomeOf(err)
	case r.Wrong:
		return "refused"
	case r.Failed:
		return "failed"
	}
	return "ok"
}

// Used counts the tokens and the cost of a model's answer that was kept.
func (m *Metrics) Used(agent, repository string, u model.Usage) {
	if m == nil || u == (model.Usage{}) {
		return
	}
	m.tokens.WithLabelValues(agent, repository, "input").Add(float64(max(u.Input-u.Cached, 0)))
	m.tokens.WithLabelValues(agent, repository, "cached").Add(float64(max(u.Cached, 0)))
	m.tokens.WithLabelValues(agent, repository, "output").Add(float64(max(u.Output, 0)))
	m.usd.WithLabelValues(agent, repository).Add(max(u.USD, 0))
}

// Command counts a sandbox command by how it ended.
func (m *Metrics) Command(end string) {
	if m != nil {
		m.commands.WithLabelValues(end).Inc()
	}
}

// Proof records the duration and the outcome of a proof.
func (m *Metrics) Proof(repository, outcome string, took time.Duration) {
	if m != nil {
		m.proofs.WithLabelValues(repository, outcome).Observe(took.Seconds())
	}
}
