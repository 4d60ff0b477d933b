// Package examine finds out what Slack lets an app do, before the bot starts or while it runs: [App] checks
// the bot token, [Socket] the app-level token. It changes nothing and posts nothing. A refusal of Slack is
// returned as a *bot.AuthError.
package examine
