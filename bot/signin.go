package bot

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/slack-go/slack"
)

// A SignIn is Sign in with Slack for one app: a page of Slack tells it who a visitor is.
// https://docs.slack.dev/authentication/sign-in-with-slack
type SignIn struct {
	Slack        *Slack
	ClientID     string // of the app's Basic Information
	ClientSecret string
	Redirect     string // where Slack sends the visitor back; one of the app's redirect URLs
}

// An OtherWorkspaceError says that a visitor is signed in to another workspace than the bot's.
type OtherWorkspaceError struct{ Wanted string }

func (e OtherWorkspaceError) Error() string {
	return "the visitor is signed in to another workspace than " + e.Wanted
}

// Address returns the address of Slack's page. Slack sends the visitor back with the state and a code.
func (s SignIn) Address(state string) string {
	return strings.TrimSuffix(s.api(), "api/") + "openid/connect/authorize?" + url.Values{
		"response_type": {"code"},
		"scope":         {"openid"},
		"client_id":     {s.ClientID},
		"redirect_uri":  {s.Redirect},
		"state":         {state},
		"team":          {s.Slack.self.Team},
	}.Encode()
}

// Visitor returns the user whose visit gave the code. It fails with an OtherWorkspaceError for somebody who
// is not of the bot's workspace.
func (s SignIn) Visitor(ctx context.Context, code string) (user string, err error) {
	token, err := slack.GetOpenIDConnectTokenContext(ctx, s.Slack.cfg.HTTP, s.ClientID, s.ClientSecret, code,
		s.Redirect, slack.OAuthOptionAPIURL(s.api()))
	if err != nil {
		return "", fmt.Errorf("openid.connect.token: %w", err)
	}
	visitor := slack.New(token.AccessToken, s.Slack.clientOptions(s.Slack.cfg.HTTP)...)
	who, err := visitor.GetOpenIDConnectUserInfoContext(ctx)
	if err != nil {
		return "", fmt.Errorf("openid.connect.userInfo: %w", err)
	}
	if who.TeamID == "" || who.TeamID != s.Slack.self.Team || who.UserID == "" {
		return "", OtherWorkspaceError{s.Slack.self.TeamName}
	}
	return who.UserID, nil
}

func (s SignIn) api() string { return cmp.Or(s.Slack.cfg.apiURL(), slack.APIURL) }

// Check asks Slack whether the id and the secret are right, with a code that cannot be.
func (s SignIn) Check(ctx context.Context) error {
	_, err := s.Visitor(ctx, "none")
	if ErrorCode(err) == "invalid_code" {
		return nil
	}
	return err
}
