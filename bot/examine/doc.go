// Package examine finds out what Slack lets an app do, before its bot runs or beside it:
// [App] uses the bot token, [Socket] the app-level token. It changes nothing
// and posts nothing. What Slack refuses is an *bot.AuthError.
package examine
