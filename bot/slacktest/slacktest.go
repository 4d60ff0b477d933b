// Package slacktest is a Slack that behaves: a workspace in memory behind the real
// protocols, the Web API over HTTP and Socket Mode over WebSocket, on localhost. A program
// that speaks Slack is pointed at [Server.URL] instead of https://slack.com/api/ and notices
// no difference; a test, a demo or a web page plays the people through the methods of [Server].
//
// One app is installed in the workspace: its bot user, its bot token (xoxb-) and its
// app-level token (xapp-) are in [Server.App]. Nothing here knows what the app does.
//
// What is kept as Slack keeps it:
//
//   - Timestamps are unique and only grow. A reply belongs to its root; a post into a thread
//     whose root is gone silently lands in the channel, without thread_ts in the answer.
//   - A message that mentions the app's bot in a channel arrives twice, as app_mention and
//     as message, with different event ids. An edit that mentions it fires app_mention again,
//     with "edited" set. A deleted root with replies leaves a tombstone (message_changed);
//     everything else that is deleted gives message_deleted. The app's own posts, updates and
//     reactions come back as events. Events come only from channels the app is a member of.
//   - An event goes to one of the open connections, nobody knows which. Unless it is
//     acknowledged in [Config.AckTimeout] it is sent again after each wait of
//     [Config.Retries], with retry_attempt and retry_reason and a new envelope_id. Events that
//     found no connection are kept until one is there. Clicks, commands and modals are sent
//     once. A response of 20 KB or more is dropped without a word.
//   - A socket address works once. More than [Config.MaxConnections] is too_many_websockets.
//   - Errors, warnings and limits have Slack's names and shapes. Where Slack's documentation
//     and what people measured differ, the stricter of the two holds: chat.update refuses
//     more than 4,000 characters, chat.postMessage cuts at 40,000 with a warning.
//
// Faults are ordered by a test with [Server.Order], [Server.DropAcks], [Server.ExpireAcks],
// [Server.Redeliver], [Server.Disconnect] and [Server.Cut]; [Server.Hold] and
// [Server.Release] deliver again and out of order. Whatever happened is on record:
// [Server.Requests], [Server.Deliveries], [Server.Watch]. [Server.WaitFor] and its sisters
// wait for it without polling.
//
// Not played: group messages, streaming, agent sessions, scheduled messages, and
// Slack's rewriting of bare links in text.
//
// All state sits in one struct behind one mutex (state.go); everything else reads and
// changes it through that. Methods are safe for use by several goroutines.
package slacktest

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/gorilla/websocket"
)

// Config says what workspace to open. The zero value is a good one.
type Config struct {
	Addr string       // where to listen; default 127.0.0.1:0
	Log  *slog.Logger // default: silent
	Now  func() time.Time
	Seed uint64 // of the choice among connections and of probable faults; default 1

	TeamName string // default Acme
	AppName  string // name of the app's bot user; default app
	BotToken string // default xoxb-slacktest
	AppToken string // default xapp-1-slacktest
	LinkApp  string // id of the app that AppToken belongs to; default: the same that BotToken does

	Scopes []string // of the bot token; nil: all that the methods here ask for
	Events []string // subscribed bot events, such as app_mention or message.channels; nil: all

	Agent bool // the app is declared as an agent: features.agent_view

	AckTimeout      time.Duration   // to acknowledge an envelope; default 3 s
	Retries         []time.Duration // wait before each redelivery; default 0, 1 min, 5 min
	PingInterval    time.Duration   // of WebSocket pings; default 5 s
	DisconnectGrace time.Duration   // between a disconnect message and the close; default 10 s
	ConnectionTime  time.Duration   // a link's life, as it is told when it opens; nothing here ends it; default about 5 hours
	MaxConnections  int             // default 10
	TriggerLife     time.Duration   // of a trigger_id; default 3 s
	ShareDelay      time.Duration   // until an uploaded file shows in its channel; Slack looks at it first; default 0

	BareMentions bool // app_mention comes without files and shared messages, as it may at Slack

	RateLimits map[string]RateLimit // by method; none by default

	Kept []byte // what Keep gave: the workspace goes on from there; nil: a new one
	File string // where the workspace lives on when the program ends, in whatever way; empty: nowhere (file.go)
}

func (c *Config) setDefaults() {
	orElse(&c.Addr, "127.0.0.1:0")
	orElse(&c.Seed, 1)
	orElse(&c.TeamName, "Acme")
	orElse(&c.AppName, "app")
	orElse(&c.BotToken, "xoxb-slacktest")
	orElse(&c.AppToken, "xapp-1-slacktest")
	orElse(&c.AckTimeout, 3*time.Second)
	orElse(&c.PingInterval, 5*time.Second)
	orElse(&c.DisconnectGrace, 10*time.Second)
	orElse(&c.ConnectionTime, 18060*time.Second)
	orElse(&c.MaxConnections, 10)
	orElse(&c.TriggerLife, 3*time.Second)
	if c.Retries == nil {
		c.Retries = []time.Duration{0, time.Minute, 5 * time.Minute}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Now == nil {
		c.Now = time.Now
	}
}

func orElse[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// A Server is one workspace and its two protocols. Close ends it.
type Server struct {
	cfg      Config
	listener net.Listener
	http     *http.Server
	upgrader websocket.Upgrader
	methods  map[string]method
	done     chan struct{}  // closed by Close
	running  sync.WaitGroup // goroutines that Close waits for

	mu      lock // guards all below
	state   state
	file    *stateFile // nil: nothing is written
	socket  socket
	faults  faultPlan
	limits  map[string]*bucket
	log     []*Request
	journal []Change
	changed chan struct{} // closed and replaced whenever something below mu changed
	closed  bool
}

// New opens a workspace. It panics when it cannot listen, as httptest.NewServer does; a
// program that lets its user choose the address calls Listen.
func New(cfg Config) *Server {
	s, err := Listen(cfg)
	if err != nil {
		panic(err)
	}
	return s
}

// Listen opens a workspace on cfg.Addr.
func Listen(cfg Config) (*Server, error) {
	written, err := readFile(cfg.File)
	if err != nil {
		return nil, err
	}
	listener := written.listen(cfg.Addr)
	cfg.setDefaults()
	if listener == nil {
		if listener, err = net.Listen("tcp", cfg.Addr); err != nil {
			return nil, fmt.Errorf("slacktest: listen on %s: %w", cfg.Addr, err)
		}
	}
	s := &Server{
		cfg:      cfg,
		listener: listener,
		methods:  methods(),
		done:     make(chan struct{}),
		changed:  make(chan struct{}),
		limits:   map[string]*bucket{},
		// Clients send Slack's own origin, or none.
		upgrader: websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }},
	}
	random := rand.New(rand.NewPCG(cfg.Seed, cfg.Seed))
	s.faults.random = random
	s.socket = newSocket(random)
	s.state = newState(cfg)
	if err := errors.Join(s.takeUp(cfg.Kept), s.goOn(written)); err != nil {
		listener.Close()
		return nil, err
	}
	s.state.showEmail = slices.Contains(s.scopes(), "users:read.email")
	s.http = &http.Server{Handler: s.routes(), ReadHeaderTimeout: 10 * time.Second}
	s.running.Go(func() { _ = s.http.Serve(listener) })
	return s, nil
}

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/api/", s.serveAPI)
	mux.HandleFunc("/link", s.serveLink)
	mux.HandleFunc("/actions/", s.serveResponseURL)
	mux.HandleFunc("/"+uploadMethod+"/", s.serveUpload)
	mux.HandleFunc("/"+downloadMethod+"/", s.serveDownload)
	mux.HandleFunc("/signin", serveSignIn)
	return s.counted(mux)
}

// counted makes Close wait for requests that are being answered.
func (s *Server) counted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		closed := s.closed
		if !closed {
			s.running.Add(1)
		}
		s.mu.Unlock()
		if closed {
			return
		}
		defer s.running.Done()
		next.ServeHTTP(w, r)
	})
}

// URL is what a client takes for Slack's API address, with the slash at its end.
func (s *Server) URL() string { return s.base() + "/api/" }

func (s *Server) base() string { return "http://" + s.listener.Addr().String() }

// Close cuts every connection and returns when no goroutine of the server is left.
func (s *Server) Close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	close(s.done)
	s.socket.stop()
	s.touch()
	s.mu.Unlock()
	_ = s.http.Close()
	s.running.Wait()
	s.file.close()
}

// touch wakes whoever waits for something to change. The caller holds mu.
func (s *Server) touch() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// App is the installed app, with what a client needs to be it.
type App struct {
	ID       string
	Name     string
	BotUser  string // user id, what a mention names: <@U…>
	BotID    string
	TeamID   string
	BotToken string
	AppToken string
}

// App tells who the installed app is.
func (s *Server) App() App { return s.state.app }

// Mention is how text names the app's bot.
func (s *Server) Mention() string { return "<@" + s.state.app.BotUser + ">" }
