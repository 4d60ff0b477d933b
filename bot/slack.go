package bot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/cenkalti/backoff/v5"
	"github.com/slack-go/slack"
)

// Config says which app of which workspace to be.
type Config struct {
	BotToken string       // xoxb-…
	AppToken string       // xapp-…, for Socket Mode
	APIURL   string       // default: Slack's own
	HTTP     *http.Client // default: one with a timeout of 30 s
	Log      *slog.Logger // default: silent
}

// Self is who the bot is.
type Self struct {
	Team     string // team id of the workspace
	TeamName string
	User     string // user id, what a mention names
	BotID    string
	Name     string
}

// Slack is a connection to the Web API as one app. It is safe for use by several goroutines.
type Slack struct {
	cfg  Config
	api  *slack.Client
	self Self
	url  string // of the workspace

	plainCards atomic.Bool  // the endpoint refused the newer blocks
	noUpdates  atomic.Int64 // until then, by Unix nanoseconds, Slack wants no chat.update
}

// Open checks the tokens and finds out who the bot is. A wrong token is an *AuthError.
func Open(ctx context.Context, cfg Config) (*Slack, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	s := cfg.complete().slack()
	var who *slack.AuthTestResponse
	err := s.untilItPasses(ctx, func() (err error) {
		who, err = s.api.AuthTestContext(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("ask Slack who the bot is: %w", s.explain(err, botTokenName))
	}
	s.be(who)
	return s, nil
}

func (c Config) complete() Config {
	if c.HTTP == nil {
		c.HTTP = &http.Client{Timeout: 30 * time.Second}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return c
}

func (c Config) slack() *Slack {
	s := &Slack{cfg: c}
	s.api = s.client(witness{c.HTTP})
	return s
}

func (s *Slack) be(who *slack.AuthTestResponse) {
	s.self = Self{Team: who.TeamID, TeamName: who.Team, User: who.UserID, BotID: who.BotID, Name: who.User}
	s.url = who.URL
}

// Self tells who the bot is.
func (s *Slack) Self() Self { return s.self }

// doer is what slack-go needs of an HTTP client.
type doer interface {
	Do(*http.Request) (*http.Response, error)
}

// client makes a slack-go client. Its own retries stay off: a post that is sent twice is
// two messages.
func (s *Slack) client(http doer) *slack.Client {
	options := []slack.Option{slack.OptionHTTPClient(http), slack.OptionAppLevelToken(s.cfg.AppToken)}
	if s.cfg.APIURL != "" {
		options = append(options, slack.OptionAPIURL(strings.TrimRight(s.cfg.APIURL, "/")+"/"))
	}
	return slack.New(s.cfg.BotToken, options...)
}

const (
	botTokenName = "SLACK_BOT_TOKEN"
	appTokenName = "SLACK_APP_TOKEN"
	apiURLName   = "SLACK_API_URL"
)

func (c Config) check() error {
	for _, token := range []struct{ name, value, prefix, what string }{
		{botTokenName, c.BotToken, "xoxb-", `the bot token, under "OAuth & Permissions" of the app`},
		{appTokenName, c.AppToken, "xapp-", `an app-level token with the scope connections:write, under "Basic Information" of the app`},
	} {
		switch {
		case token.value == "":
			return &AuthError{Code: "no token", Cure: fmt.Sprintf("set %s to %s", token.name, token.what)}
		case !strings.HasPrefix(token.value, token.prefix):
			return &AuthError{Code: "wrong kind of token", Cure: fmt.Sprintf("%s has to begin with %s: it is %s", token.name, token.prefix, token.what)}
		}
	}
	if c.APIURL == "" {
		return nil
	}
	if u, err := url.Parse(c.APIURL); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return &AuthError{Code: "no address", Cure: apiURLName + " has to be an http or https address, such as https://slack.com/api/"}
	}
	return nil
}

// An AuthError is a refusal that no retry mends: somebody has to change a token, a scope
// or a setting, and Cure says which.
type AuthError struct {
	Code string // Slack's, such as invalid_auth
	Cure string
}

func (e *AuthError) Error() string { return "Slack: " + e.Code + ": " + e.Cure }

// cures holds what to do about refusals of the app itself; %s is the token's variable.
var cures = map[string]string{
	"invalid_auth":            "%s is not valid; copy it again from the app's settings",
	"not_authed":              "%s is missing",
	"token_revoked":           "%s was revoked; install the app again and copy the new one",
	"token_expired":           "%s has expired; turn token rotation off and install the app again",
	"account_inactive":        "the app was removed from the workspace or its bot was deactivated; install it again and set %s anew",
	"not_allowed_token_type":  "%s holds a token of the wrong kind",
	"missing_scope":           "the app lacks a scope%s; compare it with the manifest, add what is missing and install it again",
	"no_permission":           "the token in %s may not do this; install the app again with the manifest's scopes",
	"invalid_app":             "the app behind %s does not exist any more",
	"socket_mode_not_enabled": "turn Socket Mode on in the app's settings (%s stays as it is)",
	"org_login_required":      "the workspace is moving to an organisation; log in there, then install the app again and set %s anew",
	"team_access_not_granted": "the app was not granted access to this workspace; an admin has to (%s stays as it is)",
}

// explain makes an *AuthError of a refusal that concerns the app and not the call.
func (s *Slack) explain(err error, token string) error {
	var status slack.StatusCodeError
	if errors.As(err, &status) && status.Code == http.StatusNotFound {
		return &AuthError{Code: "404", Cure: "there is no Slack API at that address; check " + apiURLName}
	}
	code := errorCode(err)
	cure, known := cures[code]
	if !known {
		return err
	}
	if code == "missing_scope" {
		needed := ""
		var answer slack.SlackErrorResponse
		if errors.As(err, &answer) && answer.Needed != "" {
			needed = " (" + answer.Needed + ")"
		}
		token = needed
	}
	return &AuthError{Code: code, Cure: fmt.Sprintf(cure, token)}
}

// errorCode is Slack's own code of an answer that was not ok; empty for any other error.
func errorCode(err error) string {
	var answer slack.SlackErrorResponse
	if errors.As(err, &answer) {
		return answer.Err
	}
	return ""
}

// startPatience is how long a start waits for a Slack that has trouble of its own.
const startPatience = time.Minute

// untilItPasses makes a call of the start, again while Slack has trouble of its own. What
// somebody has to mend, and an address at which nobody answers, is told at once.
func (s *Slack) untilItPasses(ctx context.Context, call func() error) error {
	growing := backoff.NewExponentialBackOff()
	growing.InitialInterval, growing.MaxInterval = 200*time.Millisecond, 5*time.Second
	_, err := backoff.Retry(ctx, func() (struct{}, error) {
		err := s.patiently(ctx, call)
		var status slack.StatusCodeError
		troubled := errors.As(err, &status) && status.Code >= http.StatusInternalServerError || slices.Contains(passing, errorCode(err))
		if err != nil && !troubled {
			err = backoff.Permanent(err)
		}
		return struct{}{}, err
	}, backoff.WithBackOff(growing), backoff.WithMaxElapsedTime(startPatience), backoff.WithNotify(func(err error, wait time.Duration) {
		s.cfg.Log.Warn("Slack has trouble of its own; trying again", "err", err, "wait", wait)
	}))
	return err
}

// patiently makes a call, waiting as long as Slack asks to where it is one too many.
func (s *Slack) patiently(ctx context.Context, call func() error) error {
	for {
		err := call()
		var limited *slack.RateLimitedError
		if !errors.As(err, &limited) {
			return err
		}
		s.cfg.Log.Info("Slack asks to wait", "for", limited.RetryAfter)
		if err := pause(ctx, max(limited.RetryAfter, time.Second/10)); err != nil {
			return err
		}
	}
}

// pause waits, or returns early with ctx's error: at once when ctx would end before.
func pause(ctx context.Context, d time.Duration) error {
	if end, ends := ctx.Deadline(); ends && time.Until(end) < d {
		return context.DeadlineExceeded
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
