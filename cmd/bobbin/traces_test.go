package main

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/server"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/stage"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/traces"
)

// A collector receives traces as OTLP over HTTP.
type collector struct {
	*httptest.Server

	mu    sync.Mutex
	spans []*tracepb.Span
	about map[string]bool // attributes of resources
	err   error
}

func newCollector() *collector {
	c := &collector{about: map[string]bool{}}
	c.Server = httptest.NewServer(c)
	return c
}

// ServeHTTP implements http.Handler.
func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.take(r); err != nil {
		c.err = err
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
}

func (c *collector) take(r *http.Request) error {
	body := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(body)
		if err != nil {
			return err
		}
		body = z
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	var got collectorpb.ExportTraceServiceRequest
	if r.URL.Path != "/v1/traces" || r.Header.Get("Api-Key") != "the collector's" {
		return fmt.Errorf("a request to %s with the key %q", r.URL.Path, r.Header.Get("Api-Key"))
	}
	if err := proto.Unmarshal(text, &got); err != nil {
		return err
	}
	for _, from := range got.ResourceSpans {
		for _, a := range from.Resource.Attributes {
			c.about[attributeLine(a)] = true
		}
		for _, scope := range from.ScopeSpans {
			c.spans = append(c.spans, scope.Spans...)
		}
	}
	return nil
}

var (
	digits = regexp.MustCompile(`\d+`)
	// random matches attributes whose values have random letters, in which any short word may stand: a
	// session, and a machine's name with the replica.
	random = regexp.MustCompile(`^(bobbin\.session=)[a-z0-9]{8}$|^(service\.instance\.id=)\S+$`)
)

func attributeLine(a *commonpb.KeyValue) string {
	value := a.Value.GetStringValue()
	switch v := a.Value.Value.(type) {
	case *commonpb.AnyValue_IntValue:
		value = "<n>"
	case *commonpb.AnyValue_StringValue:
	default:
		value = fmt.Sprint(v)
	}
	line := random.ReplaceAllString(a.Key+"="+value, "$1$2<random>")
	return digits.ReplaceAllString(line, "<n>")
}

// told returns the path of span names from the root for each span, and all attributes. It fails if the
// parent of a span is missing, or if a span has events, links or a status message.
func (c *collector) told() (paths, attributes string, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return "", "", c.err
	}
	byID := map[string]*tracepb.Span{}
	for _, s := range c.spans {
		byID[string(s.TraceId)+string(s.SpanId)] = s
	}
	all := map[string]bool{}
	values := maps.Clone(c.about)
	for _, s := range c.spans {
		if len(s.Events) > 0 || len(s.Links) > 0 || s.Status.GetMessage() != "" {
			return "", "", fmt.Errorf("%s says more than its name: %s", s.Name, s)
		}
		for _, a := range s.Attributes {
			values[attributeLine(a)] = true
		}
		path := s.Name
		for at := s; len(at.ParentSpanId) > 0; path = at.Name + " > " + path {
			up := byID[string(at.TraceId)+string(at.ParentSpanId)]
			if up == nil {
				return "", "", fmt.Errorf("the parent of %s never came", path)
			}
			at = up
		}
		all[path] = true
	}
	lines := func(set map[string]bool) string {
		return strings.Join(slices.Sorted(maps.Keys(set)), "\n") + "\n"
	}
	return lines(all), lines(values), nil
}

// takeTraces implements the stage option traces.
func (s *story) takeTraces(ts *testscript.TestScript, options []string, cfg *stage.Config) {
	if !slices.Contains(options, "traces") {
		return
	}
	s.traces = newCollector()
	ts.Defer(s.traces.Close)
	before := cfg.Adjust
	cfg.Adjust = func(set *server.Settings) {
		before(set)
		set.Traces = traces.Destination{
			URL:     s.traces.URL + "/v1/traces",
			Headers: map[string]string{"Api-Key": "the collector's"},
		}
	}
}

// tracesCmd implements "traces PATHS ATTRIBUTES": writes what the collector received to these files.
func tracesCmd(_ context.Context, s *story, ts *testscript.TestScript, args []string) error {
	paths, attributes, err := s.traces.told()
	if err != nil {
		return err
	}
	if err := os.WriteFile(ts.MkAbs(args[0]), []byte(paths), 0o644); err != nil {
		return err
	}
	return os.WriteFile(ts.MkAbs(args[1]), []byte(attributes), 0o644)
}
