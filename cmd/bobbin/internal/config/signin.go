package config

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/secrets"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
)

// A SignIn is Sign in with Slack for the pages of sessions, with the app's own credentials. The zero value is
// off.
type SignIn struct {
	ClientID  strictyaml.Word `yaml:"client_id"`  // two numbers with a dot
	SecretEnv string          `yaml:"secret_env"` // variable with the client secret
}

// clientID matches the client id of a Slack app, which visitors of a page see in the address of Slack's page.
var clientID = regexp.MustCompile(`^\d+\.\d+$`)

// checkSignIn adds the problems of http.sign_in to p. Slack sends people back to https addresses only.
// https://docs.slack.dev/authentication/installing-with-oauth
func (h HTTP) checkSignIn(p *strictyaml.Problems) {
	const at = "$.http.sign_in"
	s := h.SignIn
	switch {
	case !p.Has(at):
		return
	case s.ClientID == "":
		p.At(at, "http.sign_in needs the client_id of the Slack app: it stands under Basic Information")
	case !clientID.MatchString(string(s.ClientID)):
		p.At(at+".client_id", "client_id has to be two numbers with a dot between, as under Basic "+
			"Information of the Slack app; the client secret does not belong here")
	}
	switch {
	case s.SecretEnv == "":
		p.At(at, "http.sign_in needs secret_env, the name of the variable with the app's client secret")
	case !secrets.IsVariable(s.SecretEnv):
		p.At(at+".secret_env", "secret_env has to be the name of a variable of the environment, such as "+
			"SLACK_CLIENT_SECRET; the secret does not belong here")
	case slices.Contains(secrets.SecretNames, s.SecretEnv):
		p.At(at+".secret_env", "secret_env %s is a secret for something else", s.SecretEnv)
	}
	if !strings.HasPrefix(h.URL, "https://") {
		p.At(at, "http.sign_in needs an http.url with https: Slack sends people back to no other address")
	}
}
