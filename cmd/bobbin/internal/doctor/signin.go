package doctor

import (
	"context"

	"github.com/bobbinhq/bobbin/bot"
)

// examineSignIn asks Slack whether the app's client id and secret are right. Slack does not tell which
// redirect URLs the app has.
func (d *Doctor) examineSignIn(ctx context.Context, f *List) {
	signIn := d.settings.SignInWith(bot.Config{APIURL: d.settings.SlackURL, Log: d.log}.Connect())
	err := signIn.Check(ctx)
	switch code := bot.ErrorCode(err); {
	case err == nil:
		f.ok("Slack knows the app's credentials; the app also needs the redirect URL %s "+
			"(bobbin manifest --pages %s)", signIn.Redirect, d.config.HTTP.URL)
	case code == "invalid_client_id" || code == "bad_client_secret" || code == "invalid_client":
		f.problem("Slack refuses the app's credentials: "+code,
			"copy the client id and the client secret from Basic Information of the app: "+appPage("", ""))
	default:
		refused := explainSlack("Sign in with Slack", err, "")
		f.problem(refused.What, refused.Cure)
	}
}
