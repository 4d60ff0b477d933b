package bot

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/slack-go/slack"
)

// Config holds the tokens and the address that a connection uses.
type Config struct {
	BotToken string       // xoxb-…
	AppToken string       // xapp-…, for Socket Mode
	APIURL   string       // default: Slack's API
	HTTP     *http.Client // default: one with a timeout of 30 s
	Log      *slog.Logger // default: no log

	// Waiting is called with the reason before each new try to reach Slack at the start, which then goes on
	// until its context ends. Nil: Open gives up, at once if there is no response, and after a minute of
	// trouble at Slack.
	Waiting func(error)
}

// Self identifies the bot.
type Self struct {
	Team     string // team id of the workspace
	TeamName string
	User     string // user id, which mentions contain
	BotID    string
	Name     string
}

// Slack is a connection to the Web API as one app. It is safe for use by several goroutines.
type Slack struct {
	API *slack.Client

	// PlainCards is set once the endpoint has refused the newer blocks of cards.
	PlainCards atomic.Bool

	cfg          Config
	self         Self
	workspaceURL string
	scopes       []string
	updatesFrom  atomic.Int64 // Unix nanoseconds; Slack accepts no chat.update earlier
}

// Open checks the tokens and identifies the bot by auth.test. It retries while Slack fails temporarily. A
// wrong token is an *AuthError.
func Open(ctx context.Context, cfg Config) (*Slack, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	s := cfg.Connect()
	err := s.callAtStart(ctx, func() error {
		_, err := s.Identify(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("ask Slack who the bot is: %w", ExplainError(err, BotTokenName))
	}
	return s, nil
}

// Connect returns a connection without calling Slack. Self is empty until Identify is called.
func (c Config) Connect() *Slack {
	if c.HTTP == nil {
		c.HTTP = &http.Client{Timeout: 30 * time.Second}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Slack{cfg: c}
	s.API = s.NewClient(responseCapture{c.HTTP})
	return s
}

// Identify calls auth.test once, stores the result for Self and WorkspaceURL, and returns the response.
func (s *Slack) Identify(ctx context.Context) (*slack.AuthTestResponse, error) {
	who, err := s.API.AuthTestContext(ctx)
	if err != nil {
		return nil, err
	}
	s.self = Self{Team: who.TeamID, TeamName: who.Team, User: who.UserID, BotID: who.BotID, Name: who.User}
	s.workspaceURL = who.URL
	if granted := who.Header.Values("X-OAuth-Scopes"); granted != nil {
		s.scopes = strings.FieldsFunc(strings.Join(granted, ","),
			func(r rune) bool { return r == ',' || r == ' ' })
	}
	return who, nil
}

// Self returns the bot's identity that Identify has stored.
func (s *Slack) Self() Self { return s.self }

// Scopes returns the scopes of the bot token; nil: Slack did not report them, or Identify was not called.
func (s *Slack) Scopes() []string { return s.scopes }

// Log returns the connection's logger.
func (s *Slack) Log() *slog.Logger { return s.cfg.Log }

// HTTP returns the HTTP client for calls to Slack.
func (s *Slack) HTTP() *http.Client { return s.cfg.HTTP }

// WorkspaceURL returns the address of the workspace in a browser.
func (s *Slack) WorkspaceURL() string { return s.workspaceURL }

// A Doer sends HTTP requests; slack-go needs no more of an HTTP client.
type Doer interface {
	Do(*http.Request) (*http.Response, error)
}

// NewClient makes a slack-go client. Its own retries stay off, since a post that is sent twice becomes two
// messages.
func (s *Slack) NewClient(http Doer) *slack.Client {
	options := append(s.clientOptions(http), slack.OptionAppLevelToken(s.cfg.AppToken))
	return slack.New(s.cfg.BotToken, options...)
}

func (s *Slack) clientOptions(http Doer) []slack.Option {
	options := []slack.Option{slack.OptionHTTPClient(http)}
	if api := s.cfg.apiURL(); api != "" {
		options = append(options, slack.OptionAPIURL(api))
	}
	return options
}

// apiURL returns the address of the API with a slash at its end; empty: Slack's own.
func (c Config) apiURL() string {
	if c.APIURL == "" {
		return ""
	}
	return strings.TrimRight(c.APIURL, "/") + "/"
}

// MaySendToken reports whether the token may be sent to an address: to Slack's hosts over https, and to the
// host of the configured API.
func (s *Slack) MaySendToken(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User != nil || u.Host == "" {
		return false
	}
	if api, err := url.Parse(s.cfg.APIURL); err == nil && api.Host != "" && api.Scheme == u.Scheme &&
		strings.EqualFold(api.Host, u.Host) {
		return true
	}
	host := strings.ToLower(u.Hostname())
	ofSlack := false
	for _, own := range []string{"slack.com", "slack-gov.com"} {
		ofSlack = ofSlack || host == own || strings.HasSuffix(host, "."+own)
	}
	return ofSlack && u.Scheme == "https" && (u.Port() == "" || u.Port() == "443")
}

// SetToken adds the bot's token to a request. The caller must have checked the address with MaySendToken.
func (s *Slack) SetToken(r *http.Request) {
	r.Header.Set("Authorization", "Bearer "+s.cfg.BotToken)
}

// Names of the settings, as they appear in an AuthError.
const (
	BotTokenName = "SLACK_BOT_TOKEN"
	AppTokenName = "SLACK_APP_TOKEN"
	apiURLName   = "SLACK_API_URL"
)

func (c Config) check() error {
	for _, token := range []struct{ name, value, prefix, what string }{
		{BotTokenName, c.BotToken, "xoxb-", `the bot token, under "OAuth & Permissions" of the app`},
		{
			AppTokenName, c.AppToken, "xapp-",
			`an app-level token with the scope connections:write, under "Basic Information" of the app`,
		},
	} {
		switch {
		case token.value == "":
			return &AuthError{Code: "no token", Cure: fmt.Sprintf("set %s to %s", token.name, token.what)}
		case !strings.HasPrefix(token.value, token.prefix):
			return &AuthError{
				Code: "wrong kind of token",
				Cure: fmt.Sprintf("%s has to begin with %s: it is %s", token.name, token.prefix, token.what),
			}
		}
	}
	if c.APIURL == "" {
		return nil
	}
	if u, err := url.Parse(c.APIURL); err != nil || u.Scheme != "http" && u.Scheme != "https" ||
		u.Host == "" {
		return &AuthError{
			Code: "no address",
			Cure: apiURLName + " has to be an http or https address, such as https://slack.com/api/",
		}
	}
	return nil
}
