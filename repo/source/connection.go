package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

const (
	connectTime = 20 * time.Second // at least, to connect and to list the tools
	maxTools    = 1000             // of one server
	maxReason   = 300              // characters of an error
)

// notSent is the code of the error that the SDK returns for a request whose answer never came: the connection
// ended, or the server answered with an HTTP status.
const notSent = -32005

// legacyVersion is the version of the protocol that is tried with servers that cannot speak a newer one.
const legacyVersion = "2025-11-25"

// A Connection is a connection to a server for one session, so that what a server remembers of a connection
// stays in the session.
type Connection struct {
	source    *Source
	session   *mcp.ClientSession
	transport transport
	catalogue *Catalogue
	broken    bool // by a call that timed out or failed

	mu    sync.Mutex
	asked []string // methods that the server has called, and that were refused
}

// A transport connects to a server in one of the two ways.
type transport interface {
	mcp.Transport
	// begin allows the server to send another MaxMessage bytes.
	begin()
	// explain says why the connection ended, if the transport knows that better than the protocol.
	explain(err error) (reason, cure string)
	// noMCP says what to do about a server that does not speak MCP.
	noMCP() string
	close()
}

func (s *Source) transport() (transport, error) {
	if s.URL != "" {
		return newHTTPTransport(s.Config, s.maxMessage)
	}
	return startProcess(s.Config, s.maxMessage)
}

// Connect connects to the server and asks for its tools. The error is an *Error, or that of ctx.
func (s *Source) Connect(ctx context.Context) (*Connection, error) {
	within, cancel := context.WithTimeout(ctx, s.connecting)
	defer cancel()
	c, err := s.connect(within, "")
	if err != nil && within.Err() == nil {
		if old, second := s.connect(within, legacyVersion); second == nil {
			return old, nil
		}
	}
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return c, err
}

func (s *Source) connect(ctx context.Context, version string) (*Connection, error) {
	c := &Connection{source: s}
	var err error
	if c.transport, err = s.transport(); err != nil {
		return nil, err
	}
	client := mcp.NewClient(&mcp.Implementation{Name: "bobbin", Version: "1"}, &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{}, // no roots, no sampling, no elicitation
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
		Logger:         slog.New(slog.DiscardHandler),
	})
	client.AddReceivingMiddleware(c.refuseRequests)
	c.session, err = client.Connect(ctx, c.transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		err = c.explain(ctx, err, s.connecting)
		c.transport.close()
		return nil, err
	}
	c.transport.begin()
	offered, err := c.listTools(ctx)
	if err != nil {
		err = c.explain(ctx, err, s.connecting)
		c.Close()
		return nil, err
	}
	c.catalogue = s.choose(offered)
	if r := c.session.InitializeResult(); r != nil && r.ServerInfo != nil {
		c.catalogue.Server = plaintext.SafeLine(r.ServerInfo.Name+" "+r.ServerInfo.Version, 80)
	}
	return c, nil
}

// refuseRequests refuses all requests of the server: a source answers calls, and asks nothing of its client.
func (c *Connection) refuseRequests(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if method == "ping" || strings.HasPrefix(method, "notifications/") {
			return next(ctx, method, r)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if name := plaintext.SafeLine(method, 40); !slices.Contains(c.asked, name) && len(c.asked) < 5 {
			c.asked = append(c.asked, name)
		}
		return nil, &jsonrpc.Error{
			Code: jsonrpc.CodeMethodNotFound, Message: "this client only calls tools",
		}
	}
}

// refused returns a suffix that names what the server asked for, or an empty string.
func (c *Connection) refused() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.asked) == 0 {
		return ""
	}
	return "; it asked for " + strings.Join(c.asked, ", ") + ", which no source gets"
}

// listTools returns all tools of the server.
func (c *Connection) listTools(ctx context.Context) (all []offer, err error) {
	cursor := ""
	for {
		page, err := c.session.ListTools(ctx, &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, err
		}
		for _, t := range page.Tools {
			if t == nil {
				continue
			}
			schema, _ := t.InputSchema.(map[string]any)
			definition, err := json.Marshal(t)
			if err != nil {
				return nil, err
			}
			all = append(all, offer{
				Tool: Tool{
					Name:        t.Name,
					Description: t.Description,
					Schema:      schema,
					definition:  string(definition),
				},
				readOnly: t.Annotations != nil && t.Annotations.ReadOnlyHint,
			})
		}
		if page.NextCursor == "" || page.NextCursor == cursor {
			return all, nil
		}
		if cursor = page.NextCursor; len(all) > maxTools {
			return nil, fmt.Errorf("it lists more than %d tools", maxTools)
		}
	}
}

// Usable reports whether the connection can be used for another call.
func (c *Connection) Usable() bool { return !c.broken }

// Call calls a tool of the catalogue that a session was given. mask masks what the server says before it is
// cut, so that no part of a secret is left. The error is an *Error, or that of ctx.
func (c *Connection) Call(
	ctx context.Context, tool Tool, args map[string]any, mask func(string) string,
) (Answer, error) {
	if err := c.checkUnchanged(tool); err != nil {
		return Answer{}, err
	}
	limit := c.source.Time
	within, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c.transport.begin()
	result, err := c.session.CallTool(within, &mcp.CallToolParams{Name: tool.Name, Arguments: args})
	var answered *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
		c.broken = true
		return Answer{}, ctx.Err()
	case errors.As(err, &answered) && answered.Code != notSent && within.Err() == nil:
		said := plaintext.CutBytes(mask(answered.Message), c.source.Bytes)
		return Answer{Text: said + c.refused(), Failed: true}, nil
	case err != nil:
		c.broken = true
		return Answer{}, c.explain(within, err, limit)
	case result.NeedsInput():
		return Answer{}, &Error{
			Source: c.source.Name,
			Reason: "asks for more before it answers (sampling, elicitation or roots), which no source gets",
		}
	}
	answer := Answer{Failed: result.IsError}
	answer.Text, answer.Left = plaintext.CutMiddle(mask(textOf(result)), c.source.Bytes/2, c.source.Bytes/2)
	if result.IsError {
		answer.Text += c.refused()
	}
	return answer, nil
}

// checkUnchanged returns an error if the server describes the tool otherwise than it was when the session was
// told of it.
func (c *Connection) checkUnchanged(tool Tool) error {
	same := slices.ContainsFunc(c.catalogue.Tools, func(t Tool) bool {
		return t.Name == tool.Name && t.definition == tool.definition
	})
	if same {
		return nil
	}
	return &Error{
		Source: c.source.Name,
		Reason: "has changed or removed its tool " + tool.Name +
			" since this session began: it is not called",
		Cure: "look at what the server offers now; a new thread is given that",
	}
}

// Close ends the connection and the process.
func (c *Connection) Close() {
	c.transport.close()
	if c.session != nil {
		_ = c.session.Close() // the server may be gone
	}
}

// explain returns an error in one line for what went wrong with the server.
func (c *Connection) explain(ctx context.Context, err error, limit time.Duration) error {
	e := &Error{Source: c.source.Name}
	switch e.Reason, e.Cure = c.transport.explain(err); {
	case e.Reason != "":
	case ctx.Err() != nil:
		e.Reason = fmt.Sprintf("does not answer within %s", limit)
		e.Cure = "check the server, or give it more seconds"
	default:
		e.Reason = "cannot be asked: " + err.Error()
		e.Cure = c.transport.noMCP()
	}
	e.Reason = plaintext.SafeLine(e.Reason, maxReason) + c.refused()
	return e
}
