// Package examine looks, before a bot runs or beside one that does, at what Slack lets its
// app do: [App] with the bot token, [Socket] with the app-level token. It changes nothing
// and posts nothing. What Slack refuses is an *bot.AuthError.
package examine
