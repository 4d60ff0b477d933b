package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSignIn(t *testing.T) {
	t.Parallel()
	read := func(text string) (Config, error) {
		return parseConfig("bobbin.yaml", []byte("repositories: [{name: shop, url: /tmp}]\n"+text))
	}
	const pages = "http: {addr: ':8080', url: 'https://bobbin.example.com', sign_in: "
	for _, id := range []string{"1234567890.1234567890", "'1234567890.1234567890'"} {
		c, err := read(pages + "{client_id: " + id + ", secret_env: CLIENT_SECRET}}\n")
		require.NoError(t, err)
		require.Equal(t, SignIn{"1234567890.1234567890", "CLIENT_SECRET"}, c.HTTP.SignIn)
	}
	const needsTLS = "http.sign_in needs an http.url with https"
	for text, want := range map[string]string{
		pages + "{client_id: '1.2'}}":                  "http.sign_in needs secret_env, the name of",
		pages + "{secret_env: SECRET}}":                "http.sign_in needs the client_id of the Slack app",
		pages + "{client_id: 1.2, secret_env: 5e-1c}}": "secret_env has to be the name of a variable",
		pages + "{client_id: '1 ', secret_env: A}}":    "client_id has to be two numbers with a dot",
		pages + "{client_id: 5e-1c, secret_env: A}}":   "client_id has to be two numbers with a dot",
		pages + "{}}": "http.sign_in needs the client_id of the Slack app",

		pages + "{client_id: 1.2, secret_env: SLACK_BOT_TOKEN}}": "SLACK_BOT_TOKEN is a secret for something",
		pages + "{client_id: 1.2, secret: 5e-1c}}":               `"secret"`,

		"http: {url: 'http://a.example', sign_in: {client_id: 1.2, secret_env: S}}": needsTLS,
		"http: {sign_in: {client_id: 1.2, secret_env: S}}":                          needsTLS,
	} {
		_, err := read(text + "\n")
		require.ErrorContains(t, err, "bobbin.yaml:2: ", text)
		require.ErrorContains(t, err, want, text)
		require.NotContains(t, err.Error(), "5e-1c", text)
	}
}
