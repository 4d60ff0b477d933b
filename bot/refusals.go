package bot

import (
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/slack-go/slack"
)

// An AuthError is a refusal that no retry can fix: a person has to change a token, a scope or a setting, and
// Cure says which.
type AuthError struct {
	Code    string // Slack's error code, such as invalid_auth
	Cure    string
	Setting string // the setting that was refused, such as SLACK_BOT_TOKEN; empty: none, or it is in Cure
}

func (a *AuthError) Error() string { return "Slack: " + a.Code + ": " + a.Cure }

// cures holds, by error code, what to do when Slack refuses the app itself; %s is the name of the token's
// variable.
var cures = map[string]string{
	"invalid_auth":  "%s is not valid; copy it again from the app's settings",
	"not_authed":    "%s is missing",
	"token_revoked": "%s was revoked; install the app again and copy the new one",
	"token_expired": "%s has expired; turn token rotation off and install the app again",
	"account_inactive": "the app was removed from the workspace or its bot was deactivated; " +
		"install it again and set %s again",
	"not_allowed_token_type": "%s holds a token of the wrong kind",
	"missing_scope": "the app lacks a scope%s; compare it with the manifest, " +
		"add what is missing and install it again",
	"no_permission": "the token in %s may not do this; install the app again with the manifest's " +
		"scopes",
	"invalid_app":             "the app behind %s does not exist any more",
	"socket_mode_not_enabled": "turn Socket Mode on in the app's settings (%s stays as it is)",
	"org_login_required": "the workspace is moving to an organisation; log in there, " +
		"then install the app again and set %s again",
	"team_access_not_granted": "the app was not granted access to this workspace; " +
		"an admin has to (%s stays as it is)",
}

// ExplainError returns an *AuthError for a refusal that concerns the app and not the call, and any other
// error unchanged. token is the name of the setting that holds the token.
func ExplainError(err error, token string) error {
	var status slack.StatusCodeError
	if errors.As(err, &status) && status.Code == http.StatusNotFound {
		return &AuthError{Code: "404", Cure: "there is no Slack API at that address; check " + apiURLName}
	}
	code := ErrorCode(err)
	setting := token
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
	return &AuthError{Code: code, Cure: fmt.Sprintf(cure, token), Setting: setting}
}

// ErrorCode returns Slack's error code of a response that was not ok, or an empty string for any other error.
func ErrorCode(err error) string {
	var answer slack.SlackErrorResponse
	if errors.As(err, &answer) {
		return answer.Err
	}
	return ""
}

// transientCodes lists the codes of temporary failures, which leave open whether the call was carried out.
var transientCodes = []string{
	"internal_error", "fatal_error", "service_unavailable", "request_timeout", "ratelimited", "rate_limited",
	"message_limit_exceeded",
	"team_added_to_org", "accesslimited", "access_denied", "ekm_access_denied", "two_factor_setup_required",
	"external_channel_migrating",
}

// IsFinal reports whether Slack refused the call itself, so that a retry would have the same result.
func IsFinal(err error) bool {
	code := ErrorCode(err)
	return code != "" && !slices.Contains(transientCodes, code)
}
