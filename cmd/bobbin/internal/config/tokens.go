package config

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/bot/examine"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
)

// A TokenFault is what is wrong with the value of one of Slack's tokens, and what to do about it.
type TokenFault struct {
	Variable   string
	What, Cure string
	Malformed  bool // it holds characters that no token has
}

// slackTokens are the two tokens, with their kinds as examine.TokenKind names them.
var slackTokens = []struct{ name, kind, other, from string }{
	{
		secrets.SlackBotToken, "a bot token", secrets.SlackAppToken,
		"xoxb-…, on the app's page under OAuth & Permissions",
	},
	{
		secrets.SlackAppToken, "an app-level token", secrets.SlackBotToken,
		"xapp-…, on the app's page under Basic Information, App-Level Tokens, with the scope " +
			"connections:write",
	},
}

// SlackTokenFaults returns what is wrong with the forms of Slack's tokens. It sends no request.
func SlackTokenFaults(values map[string]string) (faults []TokenFault) {
	if SwappedTokens(values) {
		return []TokenFault{{
			Variable: secrets.SlackBotToken,
			What: fmt.Sprintf("%s and %s hold each other's token (%s and %s)", secrets.SlackBotToken,
				secrets.SlackAppToken, examine.Masked(values[secrets.SlackBotToken]),
				examine.Masked(values[secrets.SlackAppToken])),
			Cure: "exchange them: " + secrets.SlackBotToken + " begins with xoxb-, " + secrets.SlackAppToken +
				" with xapp-",
		}}
	}
	for _, token := range slackTokens {
		value := values[token.name]
		fault := TokenFault{Variable: token.name, Cure: "it is " + token.from}
		switch kind := examine.TokenKind(value); {
		case value == "":
			fault.What = token.name + " is not set"
			fault.Cure += "; if there is no app yet: bobbin manifest --url"
		case strings.ContainsFunc(value, NeverInToken):
			fault.Malformed = true
			fault.What = token.name +
				" holds white space, quotes or other characters that a token cannot have"
			fault.Cure = "copy it again: " + token.from
		case kind == token.kind:
			continue
		case kind == kindOf(token.other):
			fault.What = fmt.Sprintf("%s holds %s: this is %s", token.name, examine.Masked(value), kind)
			fault.Cure = "put it into " + token.other + "; " + token.name + " is " + token.from
		default:
			fault.What = fmt.Sprintf("%s holds %s, and %s is needed", token.name,
				cmp.Or(kind, "something that is not a Slack token"), token.kind)
		}
		faults = append(faults, fault)
	}
	return faults
}

// SwappedTokens reports whether each variable holds the token of the other one.
func SwappedTokens(values map[string]string) bool {
	for _, token := range slackTokens {
		if examine.TokenKind(values[token.name]) != kindOf(token.other) {
			return false
		}
	}
	return true
}

func kindOf(variable string) string {
	for _, token := range slackTokens {
		if token.name == variable {
			return token.kind
		}
	}
	return ""
}

// CheckSlackTokens returns the faults of Slack's tokens as an error of one line each. Those of their
// characters are left out, since ReadSecrets finds them in all variables.
func CheckSlackTokens(values map[string]string) error {
	var errs []error
	for _, fault := range SlackTokenFaults(values) {
		if !fault.Malformed {
			errs = append(errs, fmt.Errorf("environment: %s; %s", fault.What, fault.Cure))
		}
	}
	return errors.Join(errs...)
}
