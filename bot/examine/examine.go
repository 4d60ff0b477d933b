package examine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/websocket"
	"github.com/slack-go/slack"

	"github.com/bobbinhq/bobbin/bot"
	"github.com/bobbinhq/bobbin/bot/people"
	"github.com/bobbinhq/bobbin/workflow"
)

// An Examiner finds out what Slack lets an app do. It changes nothing and posts nothing. It needs only the
// BotToken of its Config; [Socket] checks the app-level token.
type Examiner struct {
	people *people.Directory

	App    string        // id of the app; empty: Slack did not report it
	URL    string        // address of the workspace
	Scopes []string      // scopes of the bot token; nil: Slack did not report them
	Ahead  time.Duration // how far this machine's clock is ahead of Slack's, which has whole seconds
	Took   time.Duration // duration of the auth.test call
}

// App calls auth.test to find out who the bot is. A refusal is an *AuthError, as from [bot.Open].
func App(ctx context.Context, cfg bot.Config) (*Examiner, error) {
	s := cfg.Connect()
	began := time.Now()
	who, err := s.Identify(ctx)
	if err != nil {
		return nil, bot.ExplainError(err, bot.BotTokenName)
	}
	e := &Examiner{people: &people.Directory{Slack: s}, URL: who.URL, Took: time.Since(began)}
	e.Scopes = s.Scopes()
	if date, err := http.ParseTime(who.Header.Get("Date")); err == nil {
		e.Ahead = time.Since(date) - e.Took/2
	}
	if info, err := s.API.GetBotInfoContext(ctx, slack.GetBotInfoParameters{Bot: who.BotID}); err == nil {
		e.App = info.AppID
	}
	return e, nil
}

// Self returns the identity of the bot.
func (e *Examiner) Self() bot.Self { return e.people.Slack.Self() }

// A ChannelStanding describes a channel as the bot sees it.
type ChannelStanding struct {
	ID, Name string // empty ID: the bot sees no such channel
	Member   bool   // the bot is a member
	Archived bool
	Shared   bool // shared with another organisation
}

func (c ChannelStanding) String() string { return "#" + c.Name + " (" + c.ID + ")" }

// Channel looks up a channel that a configuration names by id or by #name. A name is looked up among the
// channels that the bot is a member of; near lists those, in case the name was mistyped.
func (e *Examiner) Channel(ctx context.Context, named string) (c ChannelStanding, near []string, err error) {
	id := named
	if name, is := strings.CutPrefix(named, "#"); is {
		known, err := e.people.Slack.OwnChannels(ctx)
		if err != nil {
			return c, nil, err
		}
		for other := range known {
			near = append(near, "#"+other)
		}
		slices.Sort(near)
		if id = known[name]; id == "" {
			return ChannelStanding{Name: name}, near, nil
		}
	}
	var found *slack.Channel
	err = e.people.Slack.Call(ctx, func() (err error) {
		found, err = e.people.Slack.API.GetConversationInfoContext(ctx, &slack.GetConversationInfoInput{
			ChannelID: id,
		})
		return err
	})
	switch {
	case bot.ErrorCode(err) == "channel_not_found":
		return c, nil, nil
	case err != nil:
		return c, nil, fmt.Errorf("conversations.info of %s: %w", id, bot.ExplainError(err, bot.BotTokenName))
	}
	return ChannelStanding{
		ID: found.ID, Name: found.Name, Member: found.IsMember || found.IsIM, Archived: found.IsArchived,
		Shared: found.IsExtShared,
	}, nil, nil
}

// Channels returns the ids of the channels that the bot is a member of, by channel name.
func (e *Examiner) Channels(ctx context.Context) (map[string]string, error) {
	return e.people.Slack.OwnChannels(ctx)
}

// OpenChannels returns the ids of public channels that the bot is not a member of, by channel name.
func (e *Examiner) OpenChannels(ctx context.Context) (map[string]string, error) {
	return e.people.Slack.OpenChannels(ctx)
}

// Person looks up a user; found is false if Slack knows no user with that id.
func (e *Examiner) Person(ctx context.Context, id string) (p workflow.Person, found bool, err error) {
	p, err = e.people.Known(ctx, id)
	switch {
	case bot.ErrorCode(err) == "user_not_found":
		return p, false, nil
	case err != nil:
		return p, false, err
	}
	return p, true, nil
}

// Group returns the members of a user group; found is false if there is no group with that id.
func (e *Examiner) Group(ctx context.Context, id string) (users []string, found bool, err error) {
	users, err = e.people.Group(ctx, id)
	if code := bot.ErrorCode(err); code == "no_such_subteam" || code == "subteam_not_found" {
		return nil, false, nil
	}
	return users, err == nil, err
}

// A SocketStanding describes what an app-level token gives access to.
type SocketStanding struct {
	App   string // id of the app that the token belongs to; empty: no link was opened
	Links int    // number of open links of the app, including this one
}

// Socket requests the address of a Socket Mode link and, unless onlyAsk is set, opens the link and waits
// up to 10 seconds for Slack's hello. The link is closed at once: an event that Slack sends over it
// meanwhile has to be delivered again.
func Socket(ctx context.Context, cfg bot.Config, onlyAsk bool) (at SocketStanding, err error) {
	s := cfg.Connect()
	_, address, err := s.API.StartSocketModeContext(ctx)
	if err != nil {
		return at, bot.ExplainError(err, bot.AppTokenName)
	}
	if onlyAsk {
		return at, nil
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	link, response, err := websocket.DefaultDialer.DialContext(ctx, address, http.Header{
		"Origin": {"https://api.slack.com"},
	})
	if err != nil {
		return at, noLink(err, response)
	}
	defer link.Close()
	end, _ := ctx.Deadline()
	_ = link.SetReadDeadline(end)
	var hello struct {
		Type   string `json:"type"`
		Reason string `json:"reason"`
		Links  int    `json:"num_connections"`
		Info   struct {
			App string `json:"app_id"`
		} `json:"connection_info"`
	}
	if err := link.ReadJSON(&hello); err != nil {
		return at, noLink(err, nil)
	}
	if hello.Type != "hello" {
		//lint:ignore ST1005 Slack is a name
		return at, fmt.Errorf("Slack greets with %q instead of hello",
			strings.TrimSpace(hello.Type+" "+hello.Reason))
	}
	return SocketStanding{App: hello.Info.App, Links: hello.Links}, nil
}

// noLink removes the link's address from an error, since the address gives access like a key.
func noLink(err error, response *http.Response) error {
	if response != nil {
		defer response.Body.Close()
		return fmt.Errorf("the WebSocket was refused with %s", response.Status)
	}
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	return fmt.Errorf("no WebSocket to Slack: %w", err)
}

// The prefixes of tokens.
const (
	botPrefix = "xoxb-"
	appPrefix = "xapp-"
)

// TokenKind names the kind of a token by its prefix; it returns an empty string if the kind is unknown.
func TokenKind(value string) string {
	for _, k := range []struct{ prefix, kind string }{
		{botPrefix, "a bot token"},
		{appPrefix, "an app-level token"},
		{"xoxp-", "a person's token"},
		{"xoxe", "a token that rotates"},
		{"xoxc-", "a browser's token"},
		{"xoxa-", "a workspace token"},
		{"xoxr-", "a refresh token"},
	} {
		if strings.HasPrefix(value, k.prefix) {
			return k.kind
		}
	}
	return ""
}

// Masked shortens a token to its prefix and its last four characters, so that it can be shown.
func Masked(token string) string {
	for _, prefix := range []string{botPrefix, appPrefix} {
		if rest, is := strings.CutPrefix(token, prefix); is && len(rest) > 12 {
			return prefix + "…" + rest[len(rest)-4:]
		} else if is {
			return prefix + "…"
		}
	}
	return "…"
}
