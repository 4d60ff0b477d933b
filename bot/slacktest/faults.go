package slacktest

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// A Fault is a failure that a test orders for calls of the Web API. Method, Channel, Nth, Times and
// Probability choose the calls. One of Status, Error, LoseCall and LoseAnswer says what happens, after
// Latency.
type Fault struct {
	// such as chat.postMessage; upload/v1 is the transfer of a file; empty: any
	Method string
	// empty: any
	Channel string

	// the first matching call that is hit, counted from the order; default 1
	Nth int
	// total number of calls to hit; negative: no limit; default 1, or no limit if Probability is set
	Times int
	// probability that a call is hit, from the Nth on; 0: always
	Probability float64

	// such as 429, 500 or 503; the call is not carried out
	Status int
	// for a 429, in whole seconds; default 1 s
	RetryAfter time.Duration
	// code of a response with ok: false; the call is not carried out
	Error string
	// the connection is cut, and the call is not carried out
	LoseCall bool
	// the call is carried out, but the connection is cut instead of a response
	LoseAnswer bool
	// with LoseAnswer: the call is carried out this long after the connection was cut
	Late time.Duration
	// wait before anything is done
	Latency time.Duration
}

type faultPlan struct {
	random *rand.Rand
	orders []*faultOrder
}

type faultOrder struct {
	Fault
	seen, hit int
}

// Order adds a fault. If several faults match a call, the one that was ordered first applies.
func (s *Server) Order(f Fault) {
	if f.Times == 0 && f.Probability == 0 {
		f.Times = 1
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.orders = append(s.faults.orders, &faultOrder{Fault: f})
}

// ClearFaults removes all ordered faults.
func (s *Server) ClearFaults() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults.orders = nil
}

func (f *faultPlan) take(method, channel string) Fault {
	for _, o := range f.orders {
		if o.fits(method, channel) && o.due(f.random) {
			o.hit++
			f.orders = slices.DeleteFunc(f.orders,
				func(o *faultOrder) bool { return o.Times > 0 && o.hit >= o.Times })
			return o.Fault
		}
	}
	return Fault{}
}

func (f *faultOrder) fits(method, channel string) bool {
	return (f.Method == "" || f.Method == method) && (f.Channel == "" || f.Channel == channel)
}

func (f *faultOrder) due(random *rand.Rand) bool {
	f.seen++
	if f.seen < f.Nth {
		return false
	}
	return f.Probability == 0 || random.Float64() < f.Probability
}

// answerFault sends the error response of a fault. The call is not carried out.
func (s *Server) answerFault(w http.ResponseWriter, c *call, f Fault) {
	if f.Status == 0 {
		err := fail(f.Error)
		s.settle(c, http.StatusOK, err, false)
		s.answer(w, c, nil, err)
		return
	}
	code := "internal_error"
	switch f.Status {
	case http.StatusTooManyRequests:
		code = "ratelimited"
		wait := f.RetryAfter
		if wait == 0 {
			wait = time.Second
		}
		w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(wait.Seconds()))))
	case http.StatusServiceUnavailable:
		code = "service_unavailable"
	}
	s.settle(c, f.Status, fail(code), false)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(f.Status)
	_ = json.NewEncoder(w).Encode(object{"ok": false, "error": code})
}

// cut closes the connection of a response that was not written.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_ = conn.Close()
}

// A RateLimit limits the calls of a method; a call above it gets a 429 with Retry-After.
type RateLimit struct {
	Every     time.Duration // one call per interval
	Burst     int           // default 1
	ByChannel bool          // the limit applies to each channel separately
}

type bucket struct {
	tokens float64
	at     time.Time
}

// overLimit returns how long to wait if the call is above the limit, or 0.
func (s *Server) overLimit(c *call) time.Duration {
	limit, limited := s.cfg.RateLimits[c.method]
	if !limited || limit.Every <= 0 {
		return 0
	}
	key := c.method
	if limit.ByChannel {
		key += " " + c.channel()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.cfg.Now()
	burst := float64(max(limit.Burst, 1))
	b := s.limits[key]
	if b == nil {
		b = &bucket{tokens: burst, at: now}
		s.limits[key] = b
	}
	b.tokens = min(burst, b.tokens+float64(now.Sub(b.at))/float64(limit.Every))
	b.at = now
	if b.tokens < 1 {
		return time.Duration((1 - b.tokens) * float64(limit.Every))
	}
	b.tokens--
	return 0
}
