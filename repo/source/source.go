// Package source asks MCP servers for what a repository does not hold: logs, errors and metrics. It is a
// client of the Model Context Protocol (https://modelcontextprotocol.io) that calls tools and does nothing
// else.
//
// A Source is one configured server, reached over streamable HTTP, or started as a process outside of the
// sandbox whose environment has only the variables that the configuration names. Of its tools, those that the
// configuration names may be called, and of these only the ones that the server marks read-only or that the
// configuration allows one by one.
//
// A server is not trusted. A message of more than MaxMessage bytes ends the connection, each call has a time
// limit, redirects are refused, so that a token reaches no other host, and requests of the server (sampling,
// elicitation, roots) are refused. If a server has changed a tool since a session was told of it, the tool is
// not called. What goes wrong with a server is an *Error of one line.
package source

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// The defaults of Limits.
const (
	DefaultCalls = 50
	DefaultBytes = 30 << 10
	DefaultTime  = 30 * time.Second
)

// MaxMessage is the size of one message of a server, in bytes, from which on the connection is given up.
const MaxMessage = 8 << 20

// A Config says how a server is reached, and which of its tools may be called.
type Config struct {
	Name string // of the source: lower-case letters and digits
	// of a server over streamable HTTP; empty: Command is started
	URL string
	// sent with each request to URL, with the token
	Header map[string]string
	// a program and its arguments; it is found on the PATH of this program
	Command []string
	// the whole environment of Command: NAME=value
	Env []string
	// names of the tools that may be called
	Tools []string
	// those of Tools that may be called although the server does not mark them read-only
	Allow []string
	// names of the repositories in whose sessions it may be asked; empty: all
	Repositories []string
	Limits
}

// Limits say how much one source may be used. A zero field means the default.
type Limits struct {
	Calls int           // in one session
	Bytes int           // of a result that an agent is shown
	Time  time.Duration // of one call
}

// withDefaults returns the limits with the default for each zero field.
func (l Limits) withDefaults() Limits {
	if l.Calls == 0 {
		l.Calls = DefaultCalls
	}
	if l.Bytes == 0 {
		l.Bytes = DefaultBytes
	}
	if l.Time == 0 {
		l.Time = DefaultTime
	}
	return l
}

// An Error says in one line what is wrong with a server, for people and agents.
type Error struct {
	Source string
	Reason string // a phrase with the server as its subject: "does not answer within 30s"
	Cure   string // what the operator can do about it; may be empty
}

// Error returns "the source loki does not answer within 30s".
func (e *Error) Error() string { return "the source " + e.Source + " " + e.Reason }

// A Tool is a tool that may be called. Description and Schema are the server's words.
type Tool struct {
	Name        string
	Description string
	Schema      map[string]any // JSON schema of the arguments
	definition  string         // all that the server says of the tool
}

// A Refusal is a tool of the configuration that cannot be called.
type Refusal struct{ Tool, Reason, Cure string }

// A Catalogue is what a server offers, as far as the configuration lets it be called.
type Catalogue struct {
	Server  string   // its name and version, in its own words
	Offered int      // number of all its tools
	Others  []string // names of the tools that Config.Tools does not name, those that are read-only first
	Tools   []Tool   // in the order of Config.Tools
	Refused []Refusal
}

// A Source is one server. It may be used by several sessions at once.
type Source struct {
	Config
	log        *slog.Logger
	maxMessage int64         // MaxMessage; the control of a test sets more
	connecting time.Duration // connectTime; a test sets less

	mu     sync.Mutex // held while the catalogue is asked for
	newest *Catalogue // nil: it was not read
	err    error      // why not, if it was asked for
	at     time.Time  // of that
	pinned *lru.Cache[string, *Catalogue]
}

// The periods after which a catalogue is asked for again, and a server that could not give one.
const (
	catalogueAge = 10 * time.Minute
	failureAge   = time.Minute
)

// maxPinned is how many sessions keep the catalogue that they began with.
const maxPinned = 1000

// New returns the source of a configuration. It connects to nothing.
func New(c Config, log *slog.Logger) *Source {
	c.Limits = c.Limits.withDefaults()
	pinned, err := lru.New[string, *Catalogue](maxPinned)
	if err != nil {
		panic(err) // its only error is a size below one
	}
	return &Source{
		Config: c, log: log, maxMessage: MaxMessage, connecting: max(connectTime, c.Time),
		pinned: pinned,
	}
}

// For reports whether sessions of that repository may ask the source.
func (s *Source) For(repository string) bool {
	return len(s.Repositories) == 0 || slices.Contains(s.Repositories, repository)
}

// Catalogue returns the tools of the source for a session. They stay the same for the session as long as
// this process runs, so that what its model is sent stays the same; later sessions get what the server
// offers then. A server that gave no catalogue is asked again after a minute.
func (s *Source) Catalogue(ctx context.Context, session string) (*Catalogue, error) {
	if c, ok := s.pinned.Get(session); ok {
		return c, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	age := time.Since(s.at)
	if s.newest == nil && (s.err == nil || age > failureAge) || s.newest != nil && age > catalogueAge {
		c, err := s.Read(ctx)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.newest = c
		s.err = err
		s.at = time.Now()
	}
	if s.err != nil {
		return nil, s.err
	}
	s.pinned.Add(session, s.newest)
	return s.newest, nil
}

// Read asks the server for its tools.
func (s *Source) Read(ctx context.Context) (*Catalogue, error) {
	c, err := s.Connect(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	return c.catalogue, nil
}

// choose returns which of the tools that a server offers may be called.
func (s *Source) choose(offered []offer) *Catalogue {
	c := &Catalogue{Offered: len(offered)}
	for _, name := range s.Tools {
		at := slices.IndexFunc(offered, func(o offer) bool { return o.Name == name })
		switch {
		case at < 0:
			c.Refused = append(c.Refused, Refusal{
				Tool: name, Reason: "the server has no such tool", Cure: "correct its name under tools",
			})
		case !offered[at].readOnly && !slices.Contains(s.Allow, name):
			c.Refused = append(c.Refused, Refusal{
				Tool:   name,
				Reason: "the server does not mark it read-only",
				Cure:   "name it under allow, too, if you know that it changes nothing",
			})
		default:
			c.Tools = append(c.Tools, offered[at].Tool)
		}
	}
	for _, readOnly := range []bool{true, false} {
		for _, o := range offered {
			if o.readOnly == readOnly && !slices.Contains(s.Tools, o.Name) {
				c.Others = append(c.Others, o.Name)
			}
		}
	}
	return c
}

// An offer is a tool as a server offers it.
type offer struct {
	Tool
	readOnly bool
}

// An Answer is the result of a call.
type Answer struct {
	Text   string
	Failed bool // the server says that the call failed
	Left   int  // characters that were left out of the middle of Text
}
