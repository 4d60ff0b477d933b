// Package slacktest runs a fake Slack for tests and demos: a workspace in memory behind the real
// protocols, the Web API over HTTP and Socket Mode over WebSocket, on localhost. A program that speaks
// Slack is pointed at [Server.URL] instead of https://slack.com/api/ and notices no difference. A test, a
// demo or a web page acts for the people through the methods of [Server].
//
// One app is installed in the workspace: its bot user, its bot token (xoxb-) and its app-level token
// (xapp-) are in [Server.App]. The package does not know what the app does.
//
// It behaves like Slack in these points:
//
//   - Timestamps are unique and only increase. A reply belongs to its root; a post into a thread whose
//     root is gone goes to the channel without an error, and its response has no thread_ts.
//   - A message that mentions the app's bot in a channel arrives twice, as app_mention and as message,
//     with different event ids. An edit that mentions it sends app_mention again, with "edited" set. A
//     deleted root with replies leaves a tombstone (message_changed); any other deletion sends
//     message_deleted. The app's own posts, updates and reactions come back as events. Events come only
//     from channels that the app is a member of.
//   - An event goes to one of the open connections, chosen at random. If it is not acknowledged within
//     [Config.AckTimeout], it is sent again after each wait of [Config.Retries], with retry_attempt and
//     retry_reason and a new envelope_id. Events without an open connection are kept until one opens.
//     Clicks, commands and modals are sent once. A response of 20 KB or more is silently dropped.
//   - A WebSocket address works once. More than [Config.MaxConnections] links get too_many_websockets.
//   - Errors, warnings and limits have Slack's names and shapes. Where Slack's documentation and
//     measurements differ, the stricter of the two applies: chat.update refuses more than 4,000
//     characters, chat.postMessage cuts at 40,000 with a warning.
//
// A test orders faults with [Server.Order], [Server.DropAcks], [Server.ExpireAcks], [Server.Redeliver],
// [Server.Disconnect] and [Server.Cut]; [Server.Hold] and [Server.Release] deliver several times and out
// of order. Everything that happens is recorded: [Server.Requests], [Server.Deliveries], [Server.Watch].
// [Server.WaitFor] and the other Wait methods wait for it without polling.
//
// Not supported: group messages, streaming, agent sessions, scheduled messages, and Slack's rewriting of
// bare links in text.
//
// All state is in one struct behind one mutex (state.go); all other code reads and changes it there. The
// methods are safe for concurrent use.
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

// A Config configures a workspace. Its zero value is ready to use.
type Config struct {
	// address to listen on; default 127.0.0.1:0
	Addr string
	// default: no log
	Log *slog.Logger
	Now func() time.Time
	// seed for the choice among connections and for faults with a Probability; default 1
	Seed uint64

	// default Acme
	TeamName string
	// name of the app's bot user; default app
	AppName string
	// default xoxb-slacktest
	BotToken string
	// default xapp-1-slacktest
	AppToken string
	// id of the app that AppToken belongs to; default: the app of BotToken
	LinkApp string

	// scopes of the bot token; nil: all that the supported methods need
	Scopes []string
	// subscribed bot events, such as app_mention or message.channels; nil: all
	Events []string

	// Sign in with Slack; default: off
	OpenID OpenID

	// the app is declared as an agent (features.agent_view)
	Agent bool

	// time to acknowledge an envelope; default 3 s
	AckTimeout time.Duration
	// the same for what is sent once, such as a press or a command; default AckTimeout
	OnceTimeout time.Duration
	// wait before each redelivery; default 0, 1 min, 5 min
	Retries []time.Duration
	// interval of WebSocket pings; default 5 s
	PingInterval time.Duration
	// time between a disconnect message and the close; default 10 s
	DisconnectGrace time.Duration
	// lifetime that a link's hello message announces, and that is not enforced; default about 5 hours
	ConnectionTime time.Duration
	// maximum number of open links; default 10
	MaxConnections int
	// lifetime of a trigger_id; default 3 s
	TriggerLife time.Duration
	// delay until an uploaded file appears in its channel, as with Slack; default 0
	ShareDelay time.Duration

	// app_mention events have no files and shared messages, as can happen with Slack
	BareMentions bool

	// by method; default: none
	RateLimits map[string]RateLimit

	// result of Keep: the workspace continues from there; nil: a new one
	Kept []byte
	// file that keeps the workspace after the program ends, in any way; empty: not kept (file.go)
	File string
}

func (c *Config) setDefaults() {
	orElse(&c.Addr, "127.0.0.1:0")
	orElse(&c.Seed, 1)
	orElse(&c.TeamName, "Acme")
	orElse(&c.AppName, "app")
	orElse(&c.BotToken, "xoxb-slacktest")
	orElse(&c.AppToken, "xapp-1-slacktest")
	orElse(&c.AckTimeout, 3*time.Second)
	orElse(&c.OnceTimeout, c.AckTimeout)
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

// A Server is one workspace and its two protocols. Close stops it.
type Server struct {
	cfg      Config
	listener net.Listener
	http     *http.Server
	upgrader websocket.Upgrader
	methods  map[string]method
	done     chan struct{}  // closed by Close
	running  sync.WaitGroup // goroutines that Close waits for

	mu      lock // guards all fields below
	state   state
	file    *stateFile // nil: the workspace is not written to a file
	socket  socket
	faults  faultPlan
	limits  map[string]*bucket
	log     []*Request
	journal []Change
	// by code, and by token the user
	consents     map[string]consent
	openidTokens map[string]string

	changed chan struct{} // closed and replaced whenever a field guarded by mu changes
	closed  bool
}

// New opens a workspace. It panics if it cannot listen, as httptest.NewServer does. A program that lets its
// user choose the address calls Listen instead.
func New(cfg Config) *Server {
	s, err := Listen(cfg)
	if err != nil {
		panic(err)
	}
	return s
}

// Listen opens a workspace. It listens on cfg.Addr, or by default on the address in cfg.File, if that is
// free.
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

		consents:     map[string]consent{},
		openidTokens: map[string]string{},
		// Clients send Slack's own origin, or none.
		upgrader: websocket.Upgrader{CheckOrigin: func(*http.Request) bool { return true }},
	}
	random := rand.New(rand.NewPCG(cfg.Seed, cfg.Seed))
	s.faults.random = random
	s.socket = newSocket(random)
	s.state = newState(cfg)
	if err := errors.Join(s.restoreKept(cfg.Kept), s.restoreFile(written)); err != nil {
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
	mux.HandleFunc(authorizePath, s.serveAuthorize)
	return s.counted(mux)
}

// counted makes Close wait for running requests.
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

// URL returns the base URL of the API for a client, with a trailing slash.
func (s *Server) URL() string { return s.base() + "/api/" }

func (s *Server) base() string { return "http://" + s.listener.Addr().String() }

// Close closes every connection and returns when all goroutines of the server have ended.
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

// touch wakes every goroutine that waits for a change. The caller holds mu.
func (s *Server) touch() {
	close(s.changed)
	s.changed = make(chan struct{})
}

// An App describes the installed app, with all that a client needs to act as the app.
type App struct {
	ID       string
	Name     string
	BotUser  string // user id, as in a mention: <@U…>
	BotID    string
	TeamID   string
	BotToken string
	AppToken string
}

// App returns the installed app.
func (s *Server) App() App { return s.state.app }

// Mention returns the text that mentions the app's bot.
func (s *Server) Mention() string { return "<@" + s.state.app.BotUser + ">" }
